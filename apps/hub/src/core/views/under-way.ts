/** Whether a command may still have an effect. Pure. */
import type { CommandState } from '@roundhouse/backend-types'

const underWay: ReadonlySet<CommandState> = new Set(['pending', 'sent', 'accepted'])

export const isUnderWay = ({ state }: { state: CommandState }): boolean => underWay.has(state)
