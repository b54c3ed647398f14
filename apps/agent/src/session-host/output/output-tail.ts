/**
 * The end of an output that may be endless: what may be shown of it next, so that no secret shows in part. Where something
 * was left out, or what is shown has become long, the text begins anew, at the first whole line of what is kept. Pure.
 */
import { privateKeyBegin, privateKeyEnd } from '../../redact/patterns'

/** More lines than anybody is shown, and longer than a private key. */
export const KEPT = 16_384
const LONGEST_SHOWN = 65_536

export interface NextText {
  /** What was shown before goes. */
  anew: boolean
  text: string
}

export class OutputTail {
  private kept = ''
  /** The beginning of the output is in `kept`. */
  private isWhole = true
  private unshown = ''
  private shownLength = 0
  private leftOut = false

  /** `skipped`: something before this text was left out. */
  push(text: string, skipped = false): void {
    const all = skipped ? text : this.kept + text
    this.isWhole &&= !skipped && all.length <= KEPT
    this.kept = all.slice(-KEPT)
    this.leftOut ||= skipped || this.unshown.length + text.length > KEPT
    this.unshown = this.leftOut ? '' : this.unshown + text
  }

  /** What is kept, from the first whole line on. */
  end(): { text: string; isWhole: boolean } {
    return { text: this.wholeLines(), isWhole: this.isWhole }
  }

  /** What comes next, if anything does. */
  take(): NextText | null {
    if (!this.leftOut && this.unshown === '') return null
    const anew = this.leftOut || this.shownLength + this.unshown.length > LONGEST_SHOWN
    const text = anew ? this.wholeLines() : this.unshown
    this.shownLength = (anew ? 0 : this.shownLength) + text.length
    this.unshown = ''
    this.leftOut = false
    return { anew, text }
  }

  /** Of a cut line, and of a private key, the beginning may be gone by which the redactor knows a secret. */
  private wholeLines(): string {
    if (this.isWhole) return this.kept
    const lines = /[\r\n](.*)/s.exec(this.kept)?.[1] ?? ''
    const end = privateKeyEnd.exec(lines)
    const begin = privateKeyBegin.exec(lines)
    if (!end || (begin && begin.index < end.index)) return lines
    return lines.slice(end.index + end[0].length)
  }
}
