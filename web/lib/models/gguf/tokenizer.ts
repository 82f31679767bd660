/** The tokenizer of a GGUF file, in the form of a tokenizer.json. */
import type { Checkpoint } from '../checkpoint/types.js';
import type { Header, Value } from './header.js';

type Json = Record<string, unknown>;

/** Kinds of tokens. */
const [UNKNOWN, CONTROL, USER_DEFINED] = [2, 3, 4] as const;

/** What splits texts before byte pairs are merged; `digits` is how many digits stay together. */
const split = (digits: string): string =>
  `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}${digits}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+`;

const byteLevel = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true };

const splitting = (digits: string): Json =>
  sequence('pretokenizers', [
    { type: 'Split', pattern: { Regex: split(digits) }, behavior: 'Isolated', invert: false },
    { ...byteLevel, use_regex: false },
  ]);

function sequence(what: string, parts: readonly Json[]): Json {
  return { type: 'Sequence', [what]: parts };
}

/** The known values of tokenizer.ggml.pre. */
const PRE: Readonly<Record<string, { pre: Json; normalizer?: Json; wholeTokens?: boolean; bos?: boolean }>> = {
  'gpt-2': { pre: byteLevel },
  smollm: { pre: sequence('pretokenizers', [{ type: 'Digits', individual_digits: true }, byteLevel]) },
  qwen2: { pre: splitting(''), normalizer: { type: 'NFC' } },
  'llama-bpe': { pre: splitting('{1,3}'), wholeTokens: true, bos: true },
  'smaug-bpe': { pre: splitting('{1,3}') },
};

/** A vocabulary as the file has it. */
interface Vocabulary {
  readonly tokens: readonly string[];
  readonly kinds: readonly number[];
  /** Whether special tokens, but for three, take the white space behind them. */
  readonly isPhi3: boolean;
}

/** What is made of it. */
interface Parts {
  readonly vocab: readonly (readonly [token: string, id: number])[];
  readonly model: Json;
  readonly normalizer?: Json | undefined;
  readonly pre?: Json;
  readonly decoder: Json;
}

/** Made when it is read, since that takes a second for a large vocabulary. Undefined if it cannot be made. */
export function tokenizerOf(header: Header): Checkpoint['tokenizer'] | undefined {
  const get = (key: string): Value | undefined => header.keys.get(`tokenizer.ggml.${key}`);
  const tokens = header.strings(get('tokens'));
  if (!tokens) return undefined;
  const kinds = header.numbers(get('token_type')) ?? tokens.map(() => 1);
  const scores = header.numbers(get('scores'));
  const merges = header.strings(get('merges'));
  const [model, pre = ''] = [get('model'), get('pre')];
  const token = (key: string): string | undefined => tokens[get(`${key}_token_id`) as number];
  const flag = (key: string, otherwise: boolean): boolean => {
    const value = get(key);
    return typeof value === 'boolean' ? value : otherwise;
  };
  if (kinds.length !== tokens.length) return undefined;
  // Only the model's name tells, in llama.cpp, too.
  const isPhi3 = /phi[- ]?3/i.test(header.keys.get('general.name') as string);
  const vocabulary = { tokens, kinds, isPhi3 };
  let make: () => Parts;
  let [isFirst, isLast] = [false, false];
  let [first, last] = [token('bos'), token('eos')];
  if (model === 'gpt2' && merges && Object.hasOwn(PRE, pre as string)) {
    const kind = PRE[pre as string]!;
    isFirst = kind.bos ?? false;
    make = () => bytePairs(vocabulary, merges, kind);
  } else if (model === 'llama' && scores?.length === tokens.length) {
    isFirst = true;
    const hasPrefix = flag('add_space_prefix', true);
    make = () => pieces(vocabulary, scores, token('unknown'), hasPrefix);
  } else if (model === 'bert') {
    isFirst = isLast = true;
    first = token('cls') ?? first;
    // Misspelt in files.
    last = token('seperator') ?? token('separator') ?? last;
    make = () => wordPieces(vocabulary, token('unknown') ?? '[UNK]');
  } else return undefined;
  const around = {
    first: flag('add_bos_token', isFirst) ? first : undefined,
    last: flag('add_eos_token', isLast) ? last : undefined,
  };
  const template = header.keys.get('tokenizer.chat_template');
  let json: Json | undefined;
  return {
    get json() {
      return (json ??= jsonOf(vocabulary, make(), around));
    },
    config: {
      tokenizer_class: 'PreTrainedTokenizerFast',
      clean_up_tokenization_spaces: model === 'bert',
      ...named('bos_token', token('bos')),
      ...named('eos_token', token('eos')),
      ...named('unk_token', token('unknown')),
      ...named('pad_token', token('padding')),
      ...(model === 'bert' && { ...named('cls_token', first), ...named('sep_token', last) }),
      ...named('mask_token', token('mask')),
      ...named('chat_template', typeof template === 'string' ? template : undefined),
    },
  };
}

function named(name: string, value: string | undefined): Json {
  return value === undefined ? {} : { [name]: value };
}

function jsonOf(
  { tokens, kinds, isPhi3 }: Vocabulary,
  { vocab, model, normalizer, pre, decoder }: Parts,
  { first, last }: Readonly<Record<'first' | 'last', string | undefined>>,
): Json {
  const added = tokens.flatMap((content, id) => {
    const kind = kinds[id]!;
    if (kind !== UNKNOWN && kind !== CONTROL && kind !== USER_DEFINED) return [];
    const special = kind !== USER_DEFINED;
    const rstrip = isPhi3 && !/^<(unk|s|\|endoftext\|)>$/.test(content);
    return [{ id, content, single_word: false, lstrip: false, rstrip, normalized: false, special }];
  });
  const special = (id: string | undefined, type: number) =>
    id === undefined ? [] : [{ SpecialToken: { id, type_id: type } }];
  const text = (id: string, type: number) => ({ Sequence: { id, type_id: type } });
  const single = [...special(first, 0), text('A', 0), ...special(last, 0)];
  const ends = new Set([first, last].filter((each) => each !== undefined));
  const isBert = model.type === 'WordPiece';
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: added,
    normalizer: normalizer ?? null,
    pre_tokenizer: pre ?? null,
    post_processor: {
      type: 'TemplateProcessing',
      single,
      pair: [...single, ...special(isBert ? undefined : first, 1), text('B', 1), ...special(last, 1)],
      special_tokens: Object.fromEntries([...ends].map((id) => [id, { id, ids: [tokens.indexOf(id)], tokens: [id] }])),
    },
    decoder,
    // Not an object of its own, since a token may be called __proto__.
    model: { ...model, vocab: Object.fromEntries(vocab) },
  };
}

const vocabOf = ({ tokens }: Vocabulary) => tokens.map((token, id) => [token, id] as const);

/** Pairs of bytes, which are merged in the order of a list. */
function bytePairs(
  vocabulary: Vocabulary,
  merges: readonly string[],
  { pre, normalizer, wholeTokens = false }: (typeof PRE)[string],
): Parts {
  return {
    vocab: vocabOf(vocabulary),
    // Pairs are apart at the first space behind the first letter.
    model: { type: 'BPE', ignore_merges: wholeTokens, merges: merges.map(pairOf) },
    normalizer,
    pre,
    decoder: byteLevel,
  };
}

function pairOf(merge: string): [string, string] {
  const at = merge.indexOf(' ', 1);
  return [merge.slice(0, at), merge.slice(at + 1)];
}

/** SentencePiece: of two neighbours whose join is a piece, those with the highest score are joined first. */
function pieces(
  vocabulary: Vocabulary,
  scores: readonly number[],
  unknown: string | undefined,
  hasPrefix: boolean,
): Parts {
  const { tokens } = vocabulary;
  const known = new Set(tokens);
  const order = tokens.map((_, id) => id).sort((a, b) => scores[b]! - scores[a]!);
  const merges: [string, string][] = [];
  for (const id of order) {
    const token = tokens[id]!;
    for (let i = 1; i < token.length; ++i) {
      const pair: [string, string] = [token.slice(0, i), token.slice(i)];
      if (known.has(pair[0]) && known.has(pair[1])) merges.push(pair);
    }
  }
  const space = { pattern: { String: ' ' }, content: '▁' };
  const prepend = { type: 'Prepend', prepend: '▁' };
  const normalizers: Json[] = [...(hasPrefix ? [prepend] : []), { type: 'Replace', ...space }];
  return {
    vocab: vocabOf(vocabulary),
    model: { type: 'BPE', ...named('unk_token', unknown), fuse_unk: true, byte_fallback: true, merges },
    normalizer: sequence('normalizers', normalizers),
    decoder: sequence('decoders', [
      { type: 'Replace', pattern: { String: '▁' }, content: ' ' },
      { type: 'ByteFallback' },
      { type: 'Fuse' },
      ...(hasPrefix ? [{ type: 'Strip', content: ' ', start: 1, stop: 0 }] : []),
    ]),
  };
}

/** BERT's: the file marks what begins a word, vocab.txt what goes on. */
function wordPieces({ tokens, kinds }: Vocabulary, unknown: string): Parts {
  const nameOf = (token: string, kind: number): string => {
    if (kind === CONTROL || kind === UNKNOWN) return token;
    return token.startsWith('▁') ? token.slice(1) : `##${token}`;
  };
  return {
    vocab: tokens.map((token, id) => [nameOf(token, kinds[id]!), id] as const),
    model: {
      type: 'WordPiece',
      unk_token: unknown,
      continuing_subword_prefix: '##',
      max_input_chars_per_word: 100,
    },
    normalizer: {
      type: 'BertNormalizer',
      clean_text: true,
      handle_chinese_chars: true,
      strip_accents: null,
      lowercase: true,
    },
    pre: { type: 'BertPreTokenizer' },
    decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
  };
}
