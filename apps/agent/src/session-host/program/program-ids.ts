/**
 * Maps ids that a program created and must get back. Requests and background tasks have a short id here (`idOf`) and
 * their own id in the program.
 */
import { idOf } from './fit-reports'

/** The oldest id is dropped: no program waits for this many at once. */
const MOST = 4_096

export class ProgramIds {
  private readonly originals = new Map<string, string>()

  /** Returns the short id and remembers the original. */
  keep(id: string): string {
    const short = idOf(id)
    if (short === id) return id
    this.originals.delete(short)
    this.originals.set(short, id)
    const [oldest] = this.originals.keys()
    if (this.originals.size > MOST && oldest !== undefined) this.originals.delete(oldest)
    return short
  }

  original(short: string): string {
    return this.originals.get(short) ?? short
  }
}
