/**
 * Decides which requests the host allows without asking (PERM-10, PERM-11). They concern commands that the program
 * would run by its own rules and only asks about because it was told to ask about every command.
 */
import type { InputShape, PermissionRequest } from '@roundhouse/backend-types'
import { isAskedByRules } from '../commands/command-rules'
import { areAllowedByRules } from './covered-by-rules'
import { changesOnly, readsOnly, readsPlace, type Surroundings } from './reads-only'
import type { WideAction } from './wide-action'

/** `shape`: what its adapter declares of the tool. */
type Asked = Pick<PermissionRequest, 'input' | 'meta'> & { shape?: InputShape | undefined }

export function runsUnasked({ input, meta, shape }: Asked, action: WideAction | null, around: Surroundings): boolean {
  const rules = meta?.byOwnRules
  if (rules === undefined || isAsked(commandIn(input, shape), rules.asks)) return false
  if (rules.anything) return true
  if (rules.reads !== undefined) return readsPlace(rules.reads, around)
  if (action?.kind !== 'command') return false
  const { text } = action
  return (
    readsOnly(text, around) ||
    (rules.edits && changesOnly(text, around)) ||
    areAllowedByRules(text, rules.commands, around)
  )
}

/** Without a certain command, any rule that asks applies. */
const isAsked = (command: string | null, asks: readonly string[]): boolean =>
  command === null ? asks.length > 0 : isAskedByRules(command, asks)

function commandIn(input: unknown, shape: InputShape | undefined): string | null {
  if (shape?.kind !== 'command') return null
  const command = (input as Record<string, unknown> | null | undefined)?.[shape.command]
  return typeof command === 'string' ? command : null
}
