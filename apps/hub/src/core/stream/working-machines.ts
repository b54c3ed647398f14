/** Rows of machines in one decision. */
import type { MachineChange, MachineFence, MachineRow } from '../ports/machine-store'
import type { Operation } from '../ports/stream/stream-change'
import type { Loaded } from '../ports/stream/stream-writer'
import { rowOf } from './found'

export class WorkingMachines {
  readonly #changes = new Map<string, MachineChange>()

  constructor(
    private readonly loaded: Partial<Loaded>,
    private readonly record: (operation: Operation) => void,
  ) {}

  find(agentId: string): MachineRow | undefined {
    const row = rowOf(this.loaded.machines?.get(agentId), `machine ${agentId}`)
    return row && { ...row, ...this.#changes.get(agentId) }
  }

  fence(agentId: string): MachineFence | undefined {
    const row = rowOf(this.loaded.fences?.get(agentId), `fence of ${agentId}`)
    return row && { ...row, ...this.#changes.get(agentId) }
  }

  update(agentId: string, change: MachineChange): void {
    this.#changes.set(agentId, { ...this.#changes.get(agentId), ...change })
    this.record({ op: 'machine.update', agentId, change })
  }
}
