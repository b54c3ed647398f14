/**
 * What a machine's connection writes of the machine itself, by raw statements inside a group commit: a crowd that returns
 * writes two such rows for each machine, which through Prisma was most of what a handshake cost (LINK-4).
 */
import { CodedError } from '@roundhouse/backend-types'
import type { MachineRow, MachineTx } from '../../core/ports/ports'
import type { Connection } from '../file/connections'
import { machineColumns } from '../rows/rows'
import { isWhole } from '../rows/whole-rows'

type Change = Parameters<MachineTx['updateAgent']>[1]

export function createMachineTx(db: Connection): MachineTx {
  const machine = db.prepare<[string], MachineRow>(`SELECT ${machineColumns} FROM Agent WHERE agentId = ?`)
  const given = db.prepare<[], { auditHeads: number }>('SELECT auditHeads FROM HubState WHERE id = 1')
  const keepHead = db.prepare(
    `INSERT INTO ReturnedHead (agentId, hubEpoch, id, hash, at, count, returnedAt)
     VALUES (@agentId, @hubEpoch, @id, @hash, @at, @count, @returnedAt)
     ON CONFLICT (agentId, hubEpoch) DO UPDATE SET id = excluded.id, hash = excluded.hash, at = excluded.at,
       count = excluded.count, returnedAt = excluded.returnedAt WHERE excluded.id > ReturnedHead.id`,
  )
  const update = updates(db)
  return {
    machine: (agentId) => {
      const row = machine.get(agentId)
      if (row && !isWhole('agent', row)) throw new CodedError('STORAGE_DAMAGED')
      return row
    },
    updateAgent: update,
    auditHeadsGiven: () => given.get()?.auditHeads ?? 0,
    keepReturnedHead: (head) => void keepHead.run(head),
  }
}

/** One statement for each set of columns, of which there are a handful. */
function updates(db: Connection): MachineTx['updateAgent'] {
  const prepare = (set: string) =>
    db.prepare<[Change & { agentId: string }]>(`UPDATE Agent SET ${set} WHERE agentId = @agentId`)
  const known = new Map<string, ReturnType<typeof prepare>>()
  return (agentId, change) => {
    const set = Object.keys(change)
      .map((column) => `${column} = @${column}`)
      .join(', ')
    const statement = known.get(set) ?? prepare(set)
    known.set(set, statement)
    statement.run({ ...change, agentId })
  }
}
