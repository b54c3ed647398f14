/**
 * Redacts text that is still being written. A secret may arrive in pieces, so the unfinished word is held back, for at most
 * 256 characters or until the caller's time is up (`flush`). Each new word causes its line to be checked again. Pure.
 */
import { privateKeyBegin, privateKeyEnd } from './patterns'
import type { Redactor } from './redactor'

const LONGEST_HELD = 256
/** How much of an endless line is checked again. */
const LONGEST_LINE = 4_096

export class LiveRedactor {
  /** The current line: its input, the part already released, and that part after redaction. */
  private line = ''
  private judged = 0
  private shown = ''
  private insideKey = false

  constructor(private readonly redact: Redactor) {}

  /** What may be shown now. */
  push(text: string): string {
    const lines = text.split('\n')
    const last = lines.pop() ?? ''
    const whole = lines.map((line) => this.endLine(line)).join('')
    this.line += last
    return whole + this.release(this.boundary())
  }

  /** Lets the held word go: its time is up, or the block ends. */
  flush(): string {
    return this.release(this.line.length)
  }

  get holds(): boolean {
    return this.judged < this.line.length
  }

  private endLine(rest: string): string {
    this.line += rest
    const released = this.release(this.line.length)
    if (this.insideKey && privateKeyEnd.test(this.line)) this.insideKey = false
    const silent = this.insideKey
    this.startLine()
    return silent ? released : `${released}\n`
  }

  private startLine(): void {
    this.line = ''
    this.judged = 0
    this.shown = ''
  }

  /** The end of the last finished word, unless what hangs over is too long to be held. */
  private boundary(): number {
    const word = Math.max(this.line.lastIndexOf(' '), this.line.lastIndexOf('\t')) + 1
    // The heading of a key has blanks in it, and is one word all the same.
    const heading = this.line.indexOf('-----BEGIN')
    const close = heading < 0 ? -1 : this.line.indexOf('-----', heading + 10)
    const end = heading < 0 ? word : close < 0 ? Math.min(word, heading) : Math.max(word, close + 5)
    return this.line.length - end > LONGEST_HELD ? this.line.length : Math.max(end, this.judged)
  }

  private release(upTo: number): string {
    if (upTo <= this.judged) return ''
    this.judged = upTo
    if (this.insideKey) return ''
    const begin = privateKeyBegin.exec(this.line.slice(0, upTo))
    const text = begin ? this.line.slice(0, begin.index) : this.line.slice(0, upTo)
    const clean = this.redact(text).text + (begin ? '[redacted:private-key]' : '')
    if (begin) this.insideKey = true
    // What was shown cannot be taken back; the finished block replaces it anyway.
    const news = clean.startsWith(this.shown) ? clean.slice(this.shown.length) : ''
    this.shown = clean
    if (this.line.length > LONGEST_LINE && upTo === this.line.length) this.startLine()
    return news
  }
}
