/**
 * Ids that a program minted and that must be said back to it: what is asked and what runs in the background goes by a short
 * id here (`idOf`) and by its own there.
 */
import { idOf } from './fit-reports'

/** The oldest is forgotten: a program does not wait for so many answers at once. */
const MOST = 4_096

export class ProgramIds {
  private readonly originals = new Map<string, string>()

  /** Its short id; the original is known from now on. */
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
