/**
 * What a machine's connection writes of the machine itself, by raw statements inside a group commit: a crowd that returns
 * writes two such rows for each machine, which through Prisma was most of what a handshake cost (LINK-4).
 */
import type { MachineFence, MachineRow } from '../../../core/ports/machine-store'
import type { OperationOf } from '../../../core/ports/stream/stream-change'
import type { Connection } from '../file/connections'
import { type RawMachine, toMachine, writeMachine } from '../rows/machine-rows'
import { machineColumns } from '../rows/rows'
import { byKey, lookUp } from './look-up'

type RawFence = MachineFence & { agentId: string }

export function createMachineStream(db: Connection) {
  const of = <Raw extends { agentId: string }>(columns: string) => ({
    ...byKey<Raw>(db, `SELECT ${columns} FROM Agent`, 'agentId'),
    keyOf: ({ agentId }: Raw) => agentId,
  })
  return {
    rows: lookUp<RawMachine, MachineRow>(db, { ...of(machineColumns), toRow: toMachine }),
    fences: lookUp<RawFence, MachineFence>(db, {
      ...of('agentId, connEpoch, state, name'),
      toRow: ({ connEpoch, state, name }) => ({ connEpoch, state, name }),
    }),
    update: updates(db),
  }
}

/** One statement for each set of columns, of which there are a handful. */
function updates(db: Connection) {
  const prepare = (set: string) => db.prepare<[object]>(`UPDATE Agent SET ${set} WHERE agentId = @agentId`)
  const known = new Map<string, ReturnType<typeof prepare>>()
  return ({ agentId, change }: OperationOf<'machine.update'>) => {
    const set = Object.keys(change)
      .map((column) => `${column} = @${column}`)
      .join(', ')
    const statement = known.get(set) ?? prepare(set)
    known.set(set, statement)
    statement.run({ ...change, ...writeMachine(change), agentId })
  }
}
