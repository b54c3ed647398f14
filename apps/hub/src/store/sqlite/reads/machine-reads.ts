/** Machines on the reading connection: without their manifest, wherever nobody shows it. */
import type { AgentRow, MachineStore } from '../../../core/ports/machine-store'
import type { AtOnce } from '../file/coded-reads'
import type { Connection } from '../file/connections'
import { type RawMachine, toAgent, toMachine } from '../rows/machine-rows'
import { readable, rowByRow } from '../rows/row-by-row'
import { machineColumns } from '../rows/rows'

export function createMachineReads(db: Connection): AtOnce<MachineStore> {
  const whole = db.prepare<[string], RawMachine>('SELECT * FROM Agent WHERE agentId = ?')
  const state = db.prepare<[string], Pick<AgentRow, 'state'>>('SELECT state FROM Agent WHERE agentId = ?')
  const inState = db.prepare<[string], string>('SELECT agentId FROM Agent WHERE state = ?').pluck()
  const all = db.prepare<[], RawMachine>('SELECT * FROM Agent ORDER BY createdAt')
  const machine = db.prepare<[string], RawMachine>(`SELECT ${machineColumns} FROM Agent WHERE agentId = ?`)
  const many = db.prepare<[string], RawMachine>(
    `SELECT ${machineColumns} FROM Agent WHERE agentId IN (SELECT value FROM json_each(?))`,
  )
  const numbers = db.prepare<[], number>('SELECT rowid FROM Agent INDEXED BY Agent_publicKey_key').pluck()
  const byNumber = db.prepare<[number], RawMachine>('SELECT * FROM Agent WHERE rowid = ?')
  const find = (agentId: string) => {
    const row = machine.get(agentId)
    return row && toMachine(row)
  }
  return {
    find,
    findMany: (agentIds) => {
      const ids = [...new Set(agentIds)]
      if (ids.length === 0) return []
      const rows = readable(() => many.all(JSON.stringify(ids)))
      return rows
        ? rows.flatMap((row) => readable(() => toMachine(row)) ?? [])
        : ids.flatMap((agentId) => readable(() => find(agentId)) ?? [])
    },
    findWithManifest: (agentId) => {
      const row = whole.get(agentId)
      return row && toAgent(row)
    },
    listWithManifests: () =>
      rowByRow(
        () => all.all(),
        () => numbers.all(),
        (rowid) => byNumber.get(rowid),
      ).flatMap((row) => readable(() => toAgent(row)) ?? []),
    idsInState: (one) => inState.all(one),
    state: (agentId) => state.get(agentId)?.state,
  }
}
