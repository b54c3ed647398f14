// The rooms of the hub and the arrows between them, as data. docs/architecture.md says why.
// Only server.ts knows everybody (and audit-check.ts and recover.ts, programs of their own); core declares ports and knows no room; the browser's rooms know no server room.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Arrows, findForbiddenArrows, findImportCycles } from '../../../scripts/architecture/arrows'
import { readImportGraph } from '../../../scripts/architecture/import-graph'

const kernel = ['backend-types', 'delivery']
const browser = [...kernel, 'hub-client']

const arrows: Arrows = {
  roots: ['server.ts', 'audit-check.ts', 'recover.ts'],
  rooms: {
    core: { packages: [...kernel, 'failpoint', 'keys'] },
    store: { rooms: ['core'], packages: [...kernel, 'failpoint', 'keys'], outside: ['prisma/generated'] },
    auth: { rooms: ['core'], packages: kernel, outside: ['prisma/generated'] },
    api: { rooms: ['core', 'auth'], packages: kernel },
    gateway: { rooms: ['core', 'auth'], packages: kernel },
    'announce.ts': {},
    'private-files.ts': {},
    'config.ts': { rooms: ['oidc-config.ts'], packages: ['backend-types'] },
    'oidc-config.ts': { packages: ['backend-types'] },
    'page-turns.ts': {},
    'site.ts': { rooms: ['config.ts'], packages: ['backend-types'] },
    'web-server.ts': { rooms: ['auth'], packages: ['backend-types'] },
    app: { rooms: ['features', 'live', 'ui'], packages: browser },
    features: { rooms: ['live', 'ui'], packages: browser },
    live: { packages: browser },
    ui: { packages: ['backend-types'] },
  },
}

describe('the hub', () => {
  const graph = readImportGraph('apps/hub/src', { aliases: { '@/': '' } })

  it('keeps to its arrows', () => {
    expect(findForbiddenArrows(graph, arrows)).toEqual([])
  })

  it('[A37] asks nobody but the identity provider that its operator named: no other file opens a connection of its own', () => {
    const server = /^(core|store|auth|api|gateway)\/|^(server|site|web-server|announce|config|oidc-config)\.ts$/
    const rooms = graph.files.filter((name) => server.test(name))
    expect(rooms.length).toBeGreaterThan(80)
    const asks = /\bfetch\(|\bhttps?\.(get|request)\(|\bnew WebSocket\(|\bconnect\(\{|axios|undici/
    expect(rooms.filter((name) => asks.test(readFileSync(path.join(import.meta.dirname, name), 'utf8')))).toEqual([
      'auth/oidc-discovery.ts',
    ])
  })

  it('has no import cycle', () => {
    expect(findImportCycles(graph)).toEqual([])
  })
})
