/** What peers of the bus ask, as the store holds it, and how it changes (BUS-12). */
import type { AskAnswer, CommandState, OpenAsk } from '@roundhouse/backend-types'
import type { WriteTx } from './stores'

/** An ask, open or closed. */
export interface AskRow {
  peerId: string
  ask: OpenAsk
  /** Null: it is open. */
  closedAt: number | null
  /** Null: nobody answered it. */
  answer: AskAnswer | null
}

/** One step of what a peer waits for. A step that does not fit changes nothing. */
export type AskStep =
  | { step: 'open'; peerId: string; ask: OpenAsk }
  /** Its worker went on: it waits for nothing that it asked before. */
  | { step: 'moved'; peerId: string; at: number }
  /** `commandId`: of the command that carries the answer. The ask is closed before the machine has it. */
  | { step: 'answered'; peerId: string; requestId: string; answer: AskAnswer; commandId: string | null }
  /** A command names the ask. It stays open until the machine says that the program has the command. */
  | { step: 'told'; peerId: string; requestId: string; answer: AskAnswer; commandId: string }
  /** The program has the command. */
  | { step: 'heard'; commandId: string; at: number }
  /** The program will never have it: the ask is open again. */
  | { step: 'unheard'; commandId: string }

/** The command that carries the answer to an ask. */
export interface AskedCommand {
  peerId: string
  commandId: string
  /** Null: there is no such command any more. */
  state: CommandState | null
}

export interface AskStore {
  /** What is open, by peer; the oldest first. */
  asks(): Promise<Map<string, OpenAsk[]>>
  ask(peerId: string, requestId: string): Promise<AskRow | null>
  /** The commands whose end an ask waits for. */
  askedCommands(): Promise<AskedCommand[]>
  /** In the transaction of a person, where nothing changes it until the end. */
  askIn(tx: WriteTx, peerId: string, requestId: string): Promise<AskRow | null>
}
