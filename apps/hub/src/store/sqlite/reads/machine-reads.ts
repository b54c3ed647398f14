/** Machines on the reading connection: without their manifest, wherever nobody shows it. */
import { CodedError } from '@roundhouse/backend-types'
import type { AgentRow, MachineRow, MachineStore } from '../../../core/ports/machine-store'
import type { Connection } from '../file/connections'
import { readable, rowByRow } from '../rows/row-by-row'
import { machineColumns } from '../rows/rows'
import { isWhole } from '../rows/whole-rows'

export function createMachineReads(db: Connection): MachineStore {
  const whole = db.prepare<[string], AgentRow>('SELECT * FROM Agent WHERE agentId = ?')
  const state = db.prepare<[string], Pick<AgentRow, 'state'>>('SELECT state FROM Agent WHERE agentId = ?')
  const all = db.prepare<[], AgentRow>('SELECT * FROM Agent ORDER BY createdAt')
  const machine = db.prepare<[string], MachineRow>(`SELECT ${machineColumns} FROM Agent WHERE agentId = ?`)
  const many = db.prepare<[string], MachineRow>(
    `SELECT ${machineColumns} FROM Agent WHERE agentId IN (SELECT value FROM json_each(?))`,
  )
  const numbers = db.prepare<[], number>('SELECT rowid FROM Agent INDEXED BY Agent_publicKey_key').pluck()
  const byNumber = db.prepare<[number], AgentRow>('SELECT * FROM Agent WHERE rowid = ?')
  const find = (agentId: string) => {
    const row = machine.get(agentId)
    return row && wholeAgent(row)
  }
  return {
    find,
    findMany: (agentIds) => {
      const ids = [...new Set(agentIds)]
      if (ids.length === 0) return []
      const rows = readable(() => many.all(JSON.stringify(ids)))
      return rows ? rows.filter(isWholeAgent) : ids.flatMap((agentId) => readable(() => find(agentId)) ?? [])
    },
    findWithManifest: (agentId) => {
      const row = whole.get(agentId)
      return row && wholeAgent(row)
    },
    listWithManifests: () =>
      rowByRow(
        () => all.all(),
        () => numbers.all(),
        (rowid) => byNumber.get(rowid),
      ).filter(isWholeAgent),
    state: (agentId) => state.get(agentId)?.state,
  }
}

const isWholeAgent = (row: MachineRow) => isWhole('agent', row)

function wholeAgent<Row extends MachineRow>(row: Row): Row {
  if (isWholeAgent(row)) return row
  throw new CodedError('STORAGE_DAMAGED')
}
