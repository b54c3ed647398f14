/** What the owner of the machine writes into its policy while the agent runs. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { Rig } from '../support/rigs/rig'

export function changePolicy({ system: { agent, kind } }: Rig, change: object, backend?: object): void {
  const policy = JSON.parse(readFileSync(path.join(agent.home, 'config/policy.json'), 'utf8'))
  const backends = backend === undefined ? policy.backends : { ...policy.backends, [kind]: backend }
  agent.writePolicy({ ...policy, ...change, backends })
}
