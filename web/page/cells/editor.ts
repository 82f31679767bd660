import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { javascript } from '@codemirror/lang-javascript';
import { bracketMatching, indentOnInput, syntaxHighlighting } from '@codemirror/language';
import { EditorState } from '@codemirror/state';
import { EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view';
import { classHighlighter } from '@lezer/highlight';

/**
 * Replaces a selection in the editor's state only. Otherwise Chromium first joins the lines in the document and keeps
 * their looks in style attributes, which violates the page's policy. An IME composition cannot be intercepted, so it
 * starts at the beginning of the selection.
 */
const typingOverSelection = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { data, inputType, isComposing } = event;
    const { empty } = view.state.selection.main;
    if (inputType !== 'insertText' || isComposing || data === null || empty) return false;
    event.preventDefault();
    view.dispatch(view.state.replaceSelection(data), { userEvent: 'input.type', scrollIntoView: true });
    return true;
  },
  compositionstart(_event, view) {
    if (!view.state.selection.main.empty)
      view.dispatch(view.state.replaceSelection(''), { userEvent: 'delete.selection' });
    return false;
  },
});

export interface EditorOptions {
  readonly parent: HTMLElement;
  readonly root: ShadowRoot;
  readonly code: string;
  readonly position: number;
  readonly label: string;
  /** The id, in the shadow root, of the text that says how to leave. */
  readonly help: string;
  readonly changed: (code: string) => void;
}

/**
 * Opens an editor of JavaScript in a cell's shadow root, which also holds its styles; the cursor goes to `position`.
 * Tab indents; Escape, then Tab leaves.
 */
export function openEditor(options: EditorOptions): EditorView {
  const { parent, root, code, label, help, changed } = options;
  return new EditorView({
    parent,
    root,
    state: EditorState.create({
      doc: code,
      selection: { anchor: Math.min(options.position, code.length) },
      extensions: [
        lineNumbers(),
        history(),
        indentOnInput(),
        bracketMatching(),
        highlightActiveLine(),
        EditorView.lineWrapping,
        typingOverSelection,
        javascript(),
        syntaxHighlighting(classHighlighter),
        // This key runs the cell.
        keymap.of(defaultKeymap.filter(({ key }) => key !== 'Mod-Enter')),
        keymap.of([...historyKeymap, indentWithTab]),
        EditorView.contentAttributes.of({ tabindex: '0', 'aria-label': label, 'aria-describedby': help }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) changed(update.state.doc.toString());
        }),
      ],
    }),
  });
}
