// The rooms of the agent and the arrows between them, as data. docs/architecture.md says why.
// Only main.ts knows everybody; the daemon and the session host meet through the log and the host contract alone.
import { describe, expect, it } from 'vitest'
import { type Arrows, findForbiddenArrows, findImportCycles } from '../../../scripts/architecture/arrows'
import { readImportGraph } from '../../../scripts/architecture/import-graph'

const contract = ['backend-types']
const kernel = ['backend-types', 'delivery']
const adapters = ['adapter-scripted', 'adapter-claude', 'adapter-codex']

/** Small tools without an opinion. They know no other room, so nothing can pass through them. */
const tools = ['files', 'redact']

const arrows: Arrows = {
  roots: ['main.ts'],
  rooms: {
    files: { packages: [...contract, 'owner'] },
    redact: { packages: contract },
    'host-contract': { rooms: tools, packages: [...contract, 'owner'] },
    log: { rooms: [...tools, 'host-contract'], packages: [...kernel, 'failpoint', 'owner'] },
    'work-folder': { rooms: tools, packages: contract },
    policy: { rooms: tools, packages: [...contract, 'owner'] },
    commands: {},
    actions: { rooms: [...tools, 'commands'], packages: contract },
    changes: { rooms: [...tools, 'actions'], packages: contract },
    identity: { rooms: tools, packages: [...contract, 'failpoint', 'keys'] },
    processes: { rooms: [...tools, 'host-contract'], packages: [...contract, 'owner'] },
    reaper: { rooms: [...tools, 'host-contract', 'processes'], packages: [...contract, 'adapter-codex', 'owner'] },
    'hub-link': { rooms: [...tools, 'identity'], packages: [...kernel, 'failpoint'] },
    daemon: {
      rooms: [...tools, 'hub-link', 'log', 'policy', 'host-contract', 'identity', 'processes', 'reaper', 'work-folder'],
      packages: [...kernel, 'failpoint', 'owner'],
    },
    'session-host': {
      rooms: [...tools, 'log', 'host-contract', 'processes', 'policy', 'commands', 'actions', 'changes'],
      packages: [...kernel, ...adapters, 'failpoint', 'owner'],
    },
    cli: {
      rooms: [...tools, 'daemon', 'policy', 'identity', 'host-contract', 'reaper'],
      packages: [...contract, 'keys'],
    },
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
