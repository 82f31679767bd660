import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { javascript } from '@codemirror/lang-javascript';
import { bracketMatching, indentOnInput, syntaxHighlighting } from '@codemirror/language';
import { EditorState } from '@codemirror/state';
import { EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view';
import { classHighlighter } from '@lezer/highlight';

/**
 * Typing over a selection happens in the editor's state alone. Left to itself, Chromium joins the lines in the document
 * first and keeps their looks in style attributes, of which the page's policy complains. A composition cannot be taken
 * over, so it begins where the selection was.
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
  /** The id, in the shadow root, of what says how to leave. */
  readonly help: string;
  readonly changed: (code: string) => void;
}

/**
 * Opens an editor of JavaScript in a cell's shadow root, which keeps its styles there; the cursor goes to `position`.
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
        // That key runs the cell.
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
