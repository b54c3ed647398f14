/**
 * Terminal output as styled spans: only colours and weight (SGR). Every other escape sequence (cursor movement, titles,
 * links, clipboard, device control) is dropped completely, so that output can never act (A50, T69). Pure.
 */
export interface AnsiSpan {
  text: string
  /** 0-15, the classic palette. */
  colour?: number
  bold?: boolean
  dim?: boolean
}

const ESC = '\u001b'
const sequences = new RegExp(
  [
    `${ESC}\\[[0-?]*[ -/]*[@-~]`, // CSI
    `${ESC}[\\]PX^_][^\\u0007\\u001b\\u009c]*(?:\\u0007|${ESC}\\\\|\\u009c|$)`, // OSC, DCS, SOS, PM, APC
    `${ESC}[ -/]*[0-~]`, // two-character escapes
    '[\\u0080-\\u009f]', // the same as single C1 characters
    ESC,
  ].join('|'),
  'g',
)
const sgr = new RegExp(`^${ESC}\\[([0-9;:]*)m$`)

type Style = Omit<AnsiSpan, 'text'>

export function ansiSpans(text: string): AnsiSpan[] {
  const spans: AnsiSpan[] = []
  let style: Style = {}
  let from = 0
  const push = (piece: string) => {
    const clean = piece.replace(/\r(?!\n)/g, '\n').replace(/\r\n/g, '\n')
    if (clean !== '') spans.push({ text: clean, ...style })
  }
  for (const match of text.matchAll(sequences)) {
    push(text.slice(from, match.index))
    const codes = sgr.exec(match[0])?.[1]
    if (codes !== undefined) style = restyle(style, codes.split(/[;:]/).map(Number))
    from = match.index + match[0].length
  }
  push(text.slice(from))
  return spans
}

function restyle(before: Style, codes: number[]): Style {
  let style = before
  for (let i = 0; i < codes.length; i++) {
    const code = codes[i] ?? 0
    if (code === 0) style = {}
    else if (code === 1) style = { ...style, bold: true }
    else if (code === 2) style = { ...style, dim: true }
    else if (code === 22) style = { ...style, bold: false, dim: false }
    else if (code >= 30 && code <= 37) style = { ...style, colour: code - 30 }
    else if (code >= 90 && code <= 97) style = { ...style, colour: code - 82 }
    else if (code === 39) style = without(style)
    else if (code === 38 || code === 48) i += codes[i + 1] === 5 ? 2 : 4 // 256 and true colours are ignored
  }
  return style
}

function without({ colour: _colour, ...rest }: Style): Style {
  return rest
}
