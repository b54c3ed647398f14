/**
 * Keeps the end of an output that may be endless, and returns what may be shown next so that no part of a secret
 * appears. If text was skipped, or the shown text has become long, the text begins again at the first whole line that
 * is kept. Pure.
 */
import { privateKeyBegin, privateKeyEnd } from '../../redact/patterns'

/** More lines than anybody is shown, and longer than a private key. */
export const KEPT = 16_384
const LONGEST_SHOWN = 65_536

export interface NextText {
  /** The text replaces what was shown before. */
  anew: boolean
  text: string
}

export class OutputTail {
  private kept = ''
  /** `kept` includes the beginning of the output. */
  private isWhole = true
  private unshown = ''
  private shownLength = 0
  private leftOut = false

  /** `skipped`: text before this piece is missing. */
  push(text: string, skipped = false): void {
    const all = skipped ? text : this.kept + text
    this.isWhole &&= !skipped && all.length <= KEPT
    this.kept = all.slice(-KEPT)
    this.leftOut ||= skipped || this.unshown.length + text.length > KEPT
    this.unshown = this.leftOut ? '' : this.unshown + text
  }

  /** The kept text from its first whole line. */
  end(): { text: string; isWhole: boolean } {
    return { text: this.wholeLines(), isWhole: this.isWhole }
  }

  /** The next text to show, or null. */
  take(): NextText | null {
    if (!this.leftOut && this.unshown === '') return null
    const anew = this.leftOut || this.shownLength + this.unshown.length > LONGEST_SHOWN
    const text = anew ? this.wholeLines() : this.unshown
    this.shownLength = (anew ? 0 : this.shownLength) + text.length
    this.unshown = ''
    this.leftOut = false
    return { anew, text }
  }

  /** A cut line or a cut private key may lack the beginning by which the redactor recognises a secret. */
  private wholeLines(): string {
    if (this.isWhole) return this.kept
    const lines = /[\r\n](.*)/s.exec(this.kept)?.[1] ?? ''
    const end = privateKeyEnd.exec(lines)
    const begin = privateKeyBegin.exec(lines)
    if (!end || (begin && begin.index < end.index)) return lines
    return lines.slice(end.index + end[0].length)
  }
}
