/**
 * The finished blocks of the turn that a conversation is in, each appended before it is printed: whatever was printed is
 * here, also after a kill at any instant. Begun anew with the first block of each turn.
 */
import {
  closeSync,
  existsSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type { BackendOutput } from '@roundhouse/backend-types'

export interface TailLine {
  turn: number
  /** Counts the blocks of this turn. What a person said in it is here too, and is no block. */
  n: number
  output: BackendOutput
}

export function tailFile(folder: string, id: string): string {
  return join(folder, `${id}.tail`)
}

/** What is known of this turn. The last line may have been torn by a kill: then it was not printed either. */
export function readTail(folder: string, id: string, turn: number): TailLine[] {
  const file = tailFile(folder, id)
  if (!existsSync(file)) return []
  return linesOf(readFileSync(file, 'utf8')).filter((line) => line.turn === turn)
}

export class Tail {
  private turn = 0
  private n = 0
  private lines: string[] = []
  private inFile = 0
  private descriptor: number | null = null

  /** `kept`: how many of the latest blocks a reader needs. */
  constructor(
    private readonly file: string,
    private readonly kept: number,
  ) {}

  append(turn: number, outputs: readonly BackendOutput[]): void {
    if (turn !== this.turn) this.begin(turn)
    const added = outputs.map((output): TailLine => ({ turn, n: isSaid(output) ? this.n : ++this.n, output }))
    const text = added.map((line) => `${JSON.stringify(line)}\n`)
    this.lines = [...this.lines, ...text].slice(-this.kept)
    this.inFile += text.length
    if (this.descriptor === null || this.inFile > 2 * this.kept) this.rewrite()
    else appendWhole(this.descriptor, text.join(''))
  }

  private begin(turn: number): void {
    this.turn = turn
    this.n = 0
    this.lines = []
    this.inFile = 0
    if (this.descriptor !== null) closeSync(this.descriptor)
    this.descriptor = null
  }

  /** By a rename: a reader, and a kill, sees the old lines or the new ones. */
  private rewrite(): void {
    if (this.descriptor !== null) closeSync(this.descriptor)
    this.descriptor = null
    const draft = `${this.file}.${process.pid}.tmp`
    writeFileSync(draft, this.lines.join(''), { mode: 0o600 })
    renameSync(draft, this.file)
    this.descriptor = openSync(this.file, 'a')
    this.inFile = this.lines.length
  }
}

/** Of a text that a full disk cuts nothing stays: what is written next must not follow on a torn line. */
function appendWhole(descriptor: number, text: string): void {
  const { size } = fstatSync(descriptor)
  try {
    // Goes on after a short write, and throws where the rest finds no room.
    writeFileSync(descriptor, text)
  } catch (error) {
    ftruncateSync(descriptor, size)
    throw error
  }
}

/** What a person said, in the words in which every adapter's transcripts tell it. */
export function saidByPerson(text: string): BackendOutput {
  return { kind: 'system', subtype: 'user_message', data: { text } }
}

export function isSaid(output: BackendOutput): boolean {
  return output.kind === 'system' && output.subtype === 'user_message'
}

function linesOf(text: string): TailLine[] {
  return text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .flatMap((line) => (line === '' ? [] : [JSON.parse(line) as TailLine]))
}
