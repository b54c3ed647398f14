/** Commands as they lie in the tables, and the way to the core's: a body that cannot be read is `STORAGE_DAMAGED`, never another one. */
import { CodedError, type CommandBody } from '@roundhouse/backend-types'
import type { CommandRow, GivenCommand } from '../../../core/ports/command-store'
import { readObject } from './json-objects'
import { readable } from './row-by-row'
import { isWhole } from './whole-rows'

/** JSON of the `CommandBody`. */
type WithText<T extends { body: CommandBody }> = Omit<T, 'body'> & { body: string }

export type RawCommand = Omit<WithText<CommandRow>, 'dismissed'> & { dismissed: number }
export type RawGiven = WithText<GivenCommand>

export const writeBody = (body: CommandBody): string => JSON.stringify(body)

export const readBody = (text: string): CommandBody => readObject<CommandBody>(text)

/** Throws where it is not whole. */
export function toCommand(raw: RawCommand): CommandRow {
  if (!isWhole('command', raw)) throw new CodedError('STORAGE_DAMAGED', undefined, { commandId: raw.commandId })
  return { ...raw, body: readBody(raw.body), dismissed: raw.dismissed === 1 }
}

export const wholeCommands = (rows: readonly RawCommand[]): CommandRow[] =>
  rows.flatMap((raw) => readable(() => toCommand(raw)) ?? [])

/** For pages, which say of one that is not whole that it is there. Its body is not shown. */
export const markedCommand = (raw: RawCommand): CommandRow =>
  readable(() => toCommand(raw)) ?? {
    ...raw,
    body: { kind: raw.kind } as CommandBody,
    dismissed: raw.dismissed === 1,
    damaged: true,
  }

export const toGiven = <T extends RawGiven>(raw: T): Omit<T, 'body'> & { body: CommandBody } => ({
  ...raw,
  body: readBody(raw.body),
})
