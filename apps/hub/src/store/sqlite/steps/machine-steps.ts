/**
 * What a machine's connection writes of the machine itself, by raw statements inside a group commit: a crowd that returns
 * writes two such rows for each machine, which through Prisma was most of what a handshake cost (LINK-4).
 */
import { CodedError } from '@roundhouse/backend-types'
import type { MachineSteps } from '../../../core/ports/machine-store'
import type { Connection } from '../file/connections'
import { writeList } from '../rows/json-lists'
import { machineColumns, type RawMachine, toMachine } from '../rows/rows'
import { isWhole } from '../rows/whole-rows'

type Fence = NonNullable<ReturnType<MachineSteps['fence']>>

export function createMachineSteps(db: Connection): MachineSteps {
  const one = db.prepare<[string], RawMachine>(`SELECT ${machineColumns} FROM Agent WHERE agentId = ?`)
  const fence = db.prepare<[string], Fence>('SELECT connEpoch, state, name FROM Agent WHERE agentId = ?')
  return {
    find: (agentId) => {
      const row = one.get(agentId)
      if (row && !isWhole('agent', row)) throw new CodedError('STORAGE_DAMAGED')
      return row && toMachine(row)
    },
    fence: (agentId) => fence.get(agentId),
    update: updates(db),
  }
}

/** One statement for each set of columns, of which there are a handful. */
function updates(db: Connection): MachineSteps['update'] {
  const prepare = (set: string) => db.prepare<[object]>(`UPDATE Agent SET ${set} WHERE agentId = @agentId`)
  const known = new Map<string, ReturnType<typeof prepare>>()
  return (agentId, change) => {
    const set = Object.keys(change)
      .map((column) => `${column} = @${column}`)
      .join(', ')
    const { chains, roots } = change
    const lists = { ...(chains && { chains: writeList(chains) }), ...(roots && { roots: writeList(roots) }) }
    const statement = known.get(set) ?? prepare(set)
    known.set(set, statement)
    statement.run({ ...change, ...lists, agentId })
  }
}
