/**
 * Matches the patterns of JSON schemas in time that grows at most linearly with the text: it follows all paths through the
 * pattern at once, one character after the other, and retries none. A pattern that needs more (lookaround, back-references)
 * is refused. Pure.
 */

type Test = (char: string) => boolean
/** `members`: what is compared until it is none of them. */
interface OneChar {
  test: Test
  members: number
}
type Node =
  | ({ kind: 'char' } & OneChar)
  | { kind: 'edge'; at: 'start' | 'end' }
  | { kind: 'sequence' | 'choice'; of: Node[] }
  | { kind: 'repeat'; of: Node; min: number; max: number }

type Step =
  | ({ op: 'char' } & OneChar)
  | { op: 'edge'; at: 'start' | 'end' }
  | { op: 'go'; to: number[] }
  | { op: 'found' }

/** As a program: each step leads to the next one, unless it says where to. */
export type SafePattern = readonly Step[]

const MOST_CHARS = 1_000
const MOST_STEPS = 2_000
const DEEPEST = 50

class Unsafe extends Error {}

/** Null: it is none that can be matched here. */
export function safePattern(source: string): SafePattern | null {
  if (source.length > MOST_CHARS) return null
  try {
    const steps: Step[] = []
    write(new Reader(source).pattern(), steps)
    add(steps, { op: 'found' })
    return steps
  } catch (error) {
    if (error instanceof Unsafe) return null
    throw error
  }
}

/** Steps of patterns that may still be taken, and members of classes compared, over all texts of one form. */
export interface PatternWork {
  left: number
}

/** Takes a second where machines are slow: a page and the hub wait for it. */
export const patternWork = (): PatternWork => ({ left: 2_000_000 })

/** Whether it is found anywhere in the text, as JSON schema has it. Null: that takes more work than is left. */
export function isFound(pattern: SafePattern, text: string, work: PatternWork = patternWork()): boolean | null {
  const chars = [...text]
  let waiting = new Set<number>()
  for (let at = 0; at <= chars.length; at++) {
    const reached = new Set<number>()
    if (reach(pattern, [...waiting, 0], reached, at === 0, at === chars.length)) return true
    work.left -= 1 + reached.size
    for (const index of reached) work.left -= membersOf(pattern[index])
    if (work.left < 0) return null
    waiting = new Set()
    for (const index of reached) {
      const step = pattern[index]
      if (step?.op === 'char' && at < chars.length && step.test(chars[at] as string)) waiting.add(index + 1)
    }
  }
  return false
}

const membersOf = (step: Step | undefined): number => (step?.op === 'char' ? step.members : 0)

/** Follows all steps that take no character. True: one of them is the end. */
function reach(pattern: SafePattern, from: number[], reached: Set<number>, isStart: boolean, isEnd: boolean): boolean {
  for (let index = from.pop(); index !== undefined; index = from.pop()) {
    if (reached.has(index)) continue
    reached.add(index)
    const step = pattern[index]
    if (step?.op === 'found') return true
    if (step?.op === 'go') from.push(...step.to)
    if (step?.op === 'edge' && (step.at === 'start' ? isStart : isEnd)) from.push(index + 1)
  }
  return false
}

function add(steps: Step[], step: Step): void {
  if (steps.length >= MOST_STEPS) throw new Unsafe()
  steps.push(step)
}

function write(node: Node, steps: Step[]): void {
  if (node.kind === 'char') add(steps, { op: 'char', test: node.test, members: node.members })
  else if (node.kind === 'edge') add(steps, { op: 'edge', at: node.at })
  else if (node.kind === 'choice') writeChoice(node.of, steps)
  else if (node.kind === 'repeat') writeRepeat(node, steps)
  else for (const part of node.of) write(part, steps)
}

function writeChoice(parts: Node[], steps: Step[]): void {
  const begin = { op: 'go' as const, to: [] as number[] }
  const ends: Array<{ to: number[] }> = []
  add(steps, begin)
  for (const part of parts) {
    begin.to.push(steps.length)
    write(part, steps)
    const end = { op: 'go' as const, to: [] as number[] }
    ends.push(end)
    add(steps, end)
  }
  for (const end of ends) end.to.push(steps.length)
}

function writeRepeat({ of, min, max }: Node & { kind: 'repeat' }, steps: Step[]): void {
  for (let n = 0; n < min; n++) write(of, steps)
  const isEndless = max === Number.POSITIVE_INFINITY
  for (let n = min; n < (isEndless ? min + 1 : max); n++) {
    const at = steps.length
    const choice = { op: 'go' as const, to: [at + 1] }
    add(steps, choice)
    write(of, steps)
    if (isEndless) add(steps, { op: 'go', to: [at] })
    choice.to.push(steps.length)
  }
}

const lineEnds = '\n\r\u2028\u2029'
const kinds: Record<string, Test> = {
  d: (char) => /^\d$/.test(char),
  w: (char) => /^\w$/.test(char),
  s: (char) => /^\s$/.test(char),
}
const controls: Record<string, string> = { t: '\t', n: '\n', r: '\r', f: '\f', v: '\v', 0: '\0' }

class Reader {
  private readonly chars: string[]
  private at = 0
  private depth = 0

  constructor(source: string) {
    this.chars = [...source]
  }

  pattern(): Node {
    const node = this.choice()
    if (this.at < this.chars.length) throw new Unsafe()
    return node
  }

  private get next(): string | undefined {
    return this.chars[this.at]
  }

  private takes(text: string): boolean {
    if (!this.rest(text.length).startsWith(text)) return false
    this.at += text.length
    return true
  }

  private rest(length: number): string {
    return this.chars.slice(this.at, this.at + length).join('')
  }

  private choice(): Node {
    const parts = [this.sequence()]
    while (this.takes('|')) parts.push(this.sequence())
    return { kind: 'choice', of: parts }
  }

  private sequence(): Node {
    const parts: Node[] = []
    while (this.next !== undefined && this.next !== '|' && this.next !== ')') parts.push(this.repeated())
    return { kind: 'sequence', of: parts }
  }

  private repeated(): Node {
    const of = this.atom()
    const times = this.times()
    if (!times) return of
    this.takes('?')
    if (of.kind === 'edge' || this.times()) throw new Unsafe()
    return { kind: 'repeat', of, ...times }
  }

  private times(): { min: number; max: number } | null {
    if (this.takes('*')) return { min: 0, max: Number.POSITIVE_INFINITY }
    if (this.takes('+')) return { min: 1, max: Number.POSITIVE_INFINITY }
    if (this.takes('?')) return { min: 0, max: 1 }
    const [all, low, comma, high] = /^\{(\d{1,4})(,?)(\d{0,4})\}/.exec(this.rest(12)) ?? []
    if (all === undefined || (!comma && high)) return null
    this.at += all.length
    const min = Number(low)
    const max = high ? Number(high) : comma ? Number.POSITIVE_INFINITY : min
    if (max < min) throw new Unsafe()
    return { min, max }
  }

  private atom(): Node {
    if (this.takes('^')) return { kind: 'edge', at: 'start' }
    if (this.takes('$')) return { kind: 'edge', at: 'end' }
    if (this.takes('.')) return { kind: 'char', test: (char) => !lineEnds.includes(char), members: 1 }
    if (this.takes('(')) return this.group()
    if (this.takes('[')) return { kind: 'char', ...this.oneOf() }
    if (this.next === '*' || this.next === '+' || this.next === '?') throw new Unsafe()
    const one = this.one()
    return { kind: 'char', test: typeof one === 'string' ? (char) => char === one : one, members: 1 }
  }

  private group(): Node {
    const name = /^\?<\w{1,50}>/.exec(this.rest(60))?.[0]
    if (!this.takes(name ?? '?:') && this.next === '?') throw new Unsafe()
    if (++this.depth > DEEPEST) throw new Unsafe()
    const node = this.choice()
    this.depth -= 1
    if (!this.takes(')')) throw new Unsafe()
    return node
  }

  /** Behind its `[`. */
  private oneOf(): OneChar {
    const isOther = this.takes('^')
    const tests: Test[] = []
    while (!this.takes(']')) {
      const low = this.one()
      if (this.next !== '-' || this.chars[this.at + 1] === ']') {
        tests.push(typeof low === 'string' ? (char) => char === low : low)
        continue
      }
      this.at += 1
      const high = this.one()
      if (typeof low !== 'string' || typeof high !== 'string' || codeOf(low) > codeOf(high)) throw new Unsafe()
      tests.push((char) => codeOf(low) <= codeOf(char) && codeOf(char) <= codeOf(high))
    }
    return { test: (char) => tests.some((test) => test(char)) !== isOther, members: tests.length }
  }

  /** One character as it is written, or a kind of them. */
  private one(): string | Test {
    const char = this.next
    if (char === undefined) throw new Unsafe()
    this.at += 1
    return char === '\\' ? this.escaped() : char
  }

  private escaped(): string | Test {
    const [all, code] =
      /^(?:x([\da-f]{2})|u([\da-f]{4})|u\{([\da-f]{1,6})\})/i.exec(this.rest(10))?.filter(Boolean) ?? []
    if (all !== undefined && code !== undefined) {
      this.at += all.length
      const point = Number.parseInt(code, 16)
      if (point > 0x10ffff) throw new Unsafe()
      return String.fromCodePoint(point)
    }
    const char = this.next
    if (char === undefined) throw new Unsafe()
    this.at += 1
    const kind = kinds[char.toLowerCase()]
    if (kind) return char === char.toLowerCase() ? kind : (one) => !kind(one)
    const control = controls[char]
    if (control !== undefined && !/^\d$/.test(this.next ?? '')) return control
    if (/^[\w]$/.test(char)) throw new Unsafe()
    return char
  }
}

const codeOf = (char: string) => char.codePointAt(0) ?? 0
