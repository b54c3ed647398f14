/** What the owner of the machine writes into its policy while the agent runs. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { until } from '../support/common/until'
import type { Rig } from '../support/rigs/rig'

/** Resolves when the agent has it and is connected again: it says hello anew. */
export async function changePolicy({ system: { agent, kind } }: Rig, change: object, backend?: object): Promise<void> {
  const policy = JSON.parse(readFileSync(path.join(agent.home, 'config/policy.json'), 'utf8'))
  const backends = backend === undefined ? policy.backends : { ...policy.backends, [kind]: backend }
  const before = agent.output.length
  agent.writePolicy({ ...policy, ...change, backends })
  const told = /the policy changed[\s\S]*connected to/
  await until('the agent to follow its policy', () => told.test(agent.output.slice(before)))
}
