// The walls between packages, apps and e2e. docs/architecture.md says why; this list is what holds them.
import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { findForeignImports, findImportCycles, findRoomCycles, findTestImports } from './arrows'
import { type ImportGraph, readImportGraph, repositoryRoot } from './import-graph'

/** For each package: the house's packages that it may know, and folders it may reach by a relative path. */
const arrows: Record<string, readonly string[]> = {
  'backend-types': [],
  bus: ['backend-types', 'delivery'],
  delivery: ['backend-types'],
  'adapter-kit': ['backend-types', 'lines'],
  'adapter-scripted': ['adapter-kit', 'backend-types', 'failpoint'],
  // A tool of tests: its benches play the scripted adapter and the pinned programs. No program that ships knows it.
  'adapter-testkit': ['backend-types', 'adapter-scripted', 'e2e/real-backends', 'runtime'],
  // A stand-in of a server, for tests.
  'bot-api-testkit': [],
  'hub-client': ['backend-types', 'delivery'],
  failpoint: [],
  keys: [],
  lines: [],
  owner: [],
  runtime: ['backend-types'],
}

/** A new adapter needs no row. */
const ofAdapters = ['adapter-kit', 'backend-types', 'lines']

const arrowsOf = (name: string) => arrows[name] ?? (name.startsWith('adapter-') ? ofAdapters : undefined)

/** The pure packages: nothing at all beside this list, so no file, no socket, no clock of Node's. */
const pure: Record<string, readonly string[]> = {
  'backend-types': ['zod'],
  bus: ['@roundhouse/backend-types', '@roundhouse/delivery', 'zod'],
  delivery: ['@roundhouse/backend-types'],
  keys: ['node:crypto'],
  lines: [],
  'runtime/run': ['@roundhouse/backend-types'],
}

const folderOf = (name: string) => {
  const [folder = '', ...room] = name.split('/')
  return path.join('packages', folder, 'src', ...room)
}
const packages = readdirSync(path.join(repositoryRoot, 'packages'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && existsSync(path.join(repositoryRoot, folderOf(entry.name))))
  .map((entry) => entry.name)

const scope = '@roundhouse/'

const findForeign = (graph: ImportGraph, allowed: readonly string[]): string[] =>
  graph.edges.flatMap(({ from, line, to }) => {
    if (to.kind === 'file' || (to.kind === 'package' && !to.name.startsWith(scope))) return []
    const target = to.kind === 'package' ? to.name.slice(scope.length) : to.path
    const known = allowed.some((name) => target === name || target.startsWith(`${name}/`))
    return known ? [] : [`${from}:${line} may not know ${target}`]
  })

describe('packages', () => {
  it('each have their arrows on the list', () => {
    expect(packages.filter((name) => arrowsOf(name) === undefined)).toEqual([])
  })

  it.each(packages)('%s knows only what its arrows allow', (name) => {
    expect(findForeign(readImportGraph(folderOf(name)), arrowsOf(name) ?? [])).toEqual([])
  })

  it.each(Object.entries(pure))('%s is pure: it imports %j and itself', (name, allowed) => {
    expect(findForeignImports(readImportGraph(folderOf(name)), allowed)).toEqual([])
  })

  it.each(packages)('%s has no two rooms that know each other', (name) => {
    expect(findRoomCycles(readImportGraph(folderOf(name)))).toEqual([])
  })

  it.each(packages)('%s has no import cycle', (name) => {
    expect(findImportCycles(readImportGraph(folderOf(name)))).toEqual([])
  })
})

describe('what tests stand on', () => {
  it('has no two rooms that know each other', () => {
    expect(findRoomCycles(readImportGraph('e2e/support'))).toEqual([])
  })
})

describe('what ships', () => {
  const tools = ['adapter-testkit', 'bot-api-testkit']
  const shipped = packages.filter((name) => !tools.includes(name)).map(folderOf)

  it.each([...shipped, 'apps/agent/src', 'apps/hub/src'])('%s leans on none of its tests', (folder) => {
    expect(findTestImports(readImportGraph(folder))).toEqual([])
  })
})

describe('apps and e2e', () => {
  const doors = [
    { folder: 'apps/agent', closed: ['apps/hub', '@roundhouse/hub', '@roundhouse/e2e'] },
    { folder: 'apps/hub', closed: ['apps/agent', '@roundhouse/agent', '@roundhouse/e2e'] },
    { folder: 'e2e', closed: ['apps/', '@roundhouse/agent', '@roundhouse/hub'] },
  ]

  it.each(doors)('$folder never imports $closed', ({ folder, closed }) => {
    const { edges } = readImportGraph(folder, { withTests: true })
    const named = edges.flatMap(({ from, to }) => {
      const target = to.kind === 'package' ? to.name : to.path
      const isClosed = closed.some((door) => target === door || (to.kind === 'outside' && target.startsWith(door)))
      return isClosed ? [`${from} -> ${target}`] : []
    })
    expect(named).toEqual([])
  })
})
