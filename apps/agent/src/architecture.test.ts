// The rooms of the agent and the arrows between them, as data. docs/architecture.md says why.
// Only main.ts knows everybody; the daemon and the session host meet through the log and the host contract alone.
import { describe, expect, it } from 'vitest'
import { type Arrows, findForbiddenArrows, findImportCycles } from '../../../scripts/architecture/arrows'
import { readImportGraph } from '../../../scripts/architecture/import-graph'

const contract = ['backend-types']
const kernel = ['backend-types', 'delivery']
const adapters = ['adapter-scripted', 'adapter-claude', 'adapter-codex', 'adapter-acp']

const arrows: Arrows = {
  roots: ['main.ts'],
  rooms: {
    'host-contract': { packages: contract },
    log: { packages: kernel },
    policy: { packages: contract },
    'hub-link': { packages: [...kernel, 'hub-client'] },
    daemon: { rooms: ['hub-link', 'log', 'policy', 'host-contract'], packages: kernel },
    'session-host': { rooms: ['log', 'host-contract'], packages: [...kernel, ...adapters] },
    cli: { rooms: ['policy', 'host-contract'], packages: [...contract, 'hub-client'] },
  },
}

describe('the agent', () => {
  const graph = readImportGraph('apps/agent/src')

  it('keeps to its arrows', () => {
    expect(findForbiddenArrows(graph, arrows)).toEqual([])
  })

  it('has no import cycle', () => {
    expect(findImportCycles(graph)).toEqual([])
  })
})
