// The judge itself is judged: on a small tree with one fault of each sort, it finds each of them and nothing else.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import {
  type Arrows,
  findForbiddenArrows,
  findForeignImports,
  findImportCycles,
  findRoomCycles,
  findTestImports,
} from './arrows'
import { findSpecifiers, readImportGraph } from './import-graph'

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

function makeTree(files: Record<string, string>): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'arrows-'))
  folders.push(folder)
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
    writeFileSync(path.join(folder, name), text)
  }
  return folder
}

const arrows: Arrows = {
  roots: ['main.ts'],
  rooms: { daemon: { rooms: ['log'], packages: ['delivery'] }, log: {} },
}

describe('the import graph', () => {
  it('sees every way to name a module, and no comment, string or JSX text', () => {
    const source = [
      "import a, { type B } from './static'",
      "import type { C } from './type'",
      "export * from './star'",
      "export type { D } from './exported'",
      "import './effect'",
      "const late = () => import('./late')",
      "type E = import('./in-type').E",
      "const old = require('./old')",
      "// import x from './comment'",
      'const text = "import y from \'./string\'"',
      "const view = <p>import z from './jsx'</p>",
    ].join('\n')
    const names = findSpecifiers('a.tsx', source).map((one) => one.value)
    expect(names.sort()).toEqual(
      ['static', 'type', 'star', 'exported', 'effect', 'late', 'in-type', 'old'].map((name) => `./${name}`).sort(),
    )
  })

  it('resolves folders, extensions and aliases, and leaves tests out', () => {
    const tree = makeTree({
      'a/one.ts': "import '../b'\nimport '@/b/view'\nimport './two.js'",
      'a/two.ts': '',
      'a/one.test.ts': "import '../b'",
      'b/index.ts': '',
      'b/view.tsx': '',
    })
    const graph = readImportGraph(tree, { aliases: { '@/': '' } })
    expect(graph.files.sort()).toEqual(['a/one.ts', 'a/two.ts', 'b/index.ts', 'b/view.tsx'])
    expect(graph.edges.map((edge) => [edge.line, edge.to])).toEqual([
      [1, { kind: 'file', path: 'b/index.ts' }],
      [2, { kind: 'file', path: 'b/view.tsx' }],
      [3, { kind: 'file', path: 'a/two.ts' }],
    ])
  })
})

describe('the arrows', () => {
  it('are kept by a tree that goes only where they point', () => {
    const tree = makeTree({
      'main.ts': "import './daemon/run'\nimport './log/log'",
      'daemon/run.ts': "import '../log/log'\nimport '@roundhouse/delivery'\nimport 'node:fs'\nimport 'pino'",
      'log/log.ts': '',
    })
    expect(findForbiddenArrows(readImportGraph(tree), arrows)).toEqual([])
  })

  it('name each import that breaks a wall, type imports and late imports included', () => {
    const tree = makeTree({
      'main.ts': '',
      'log/log.ts': [
        "import type { Run } from '../daemon/run'",
        "import '../main'",
        "import '@roundhouse/delivery'",
        "const late = () => import('../daemon/run')",
        "import '../../elsewhere/secret'",
      ].join('\n'),
      'daemon/run.ts': "import '@roundhouse/adapter-claude'",
      'attic/box.ts': '',
      'stray.ts': '',
    })
    const faults = findForbiddenArrows(readImportGraph(tree), arrows)
    expect(faults.map((fault) => fault.replace(/reach .*elsewhere/, 'reach elsewhere')).sort()).toEqual([
      'attic/box.ts stands in no known room',
      'daemon/run.ts:1 daemon may not know @roundhouse/adapter-claude',
      'log/log.ts:1 log may not know daemon/run.ts',
      'log/log.ts:2 log may not know the composition root main.ts',
      'log/log.ts:3 log may not know @roundhouse/delivery',
      'log/log.ts:4 log may not know daemon/run.ts',
      'log/log.ts:5 log may not reach elsewhere/secret',
      'stray.ts stands in no known room',
    ])
  })

  it('close a room to every module that is not on its list', () => {
    const tree = makeTree({ 'index.ts': "import 'zod'\nimport './own'\nimport 'node:fs'", 'own.ts': '' })
    expect(findForeignImports(readImportGraph(tree), ['zod'])).toEqual(['index.ts:3 may not import node:fs'])
  })
})

describe('shipped files', () => {
  it('are caught when they lean on a test or its means', () => {
    const tree = makeTree({
      'a.ts': "import './testing/clock'\nimport './b.test'\nimport './b'\nimport './c.css'",
      'b.ts': '',
      'b.test.ts': "import './testing/clock'",
      'c.css': '',
      'testing/clock.ts': '',
    })
    expect(findTestImports(readImportGraph(tree))).toEqual([
      'a.ts:1 leans on the test file testing/clock.ts',
      'a.ts:2 leans on the test file b.test.ts',
    ])
  })
})

describe('import cycles', () => {
  it('are found through any number of files', () => {
    const tree = makeTree({ 'a.ts': "import './b'", 'b.ts': "import './c'", 'c.ts': "import type {} from './a'" })
    expect(findImportCycles(readImportGraph(tree))).toEqual([['a.ts', 'b.ts', 'c.ts', 'a.ts']])
  })

  it('are not seen where two roads lead to one file', () => {
    const tree = makeTree({ 'a.ts': "import './b'\nimport './c'", 'b.ts': "import './c'", 'c.ts': '' })
    expect(findImportCycles(readImportGraph(tree))).toEqual([])
  })
})

describe('rooms', () => {
  it('that know each other through a third, or know what wires them together, are named', () => {
    const tree = makeTree({
      'main.ts': "import './a/one'",
      'a/one.ts': "import '../b/two'",
      'b/two.ts': "import './deep/three'",
      'b/deep/three.ts': "import '../../c/four'\nimport '../two'",
      'c/four.ts': "import '../a/five'",
      'a/five.ts': '',
      'd/six.ts': "import '../main'",
    })
    expect(findRoomCycles(readImportGraph(tree))).toEqual(['.: a <-> b', '.: a <-> c', '.: b <-> c', 'b: . <-> deep'])
  })

  it('that know each other in one direction are not', () => {
    const tree = makeTree({
      'main.ts': "import './a/one'\nimport './b/two'",
      'a/one.ts': "import '../b/two'",
      'b/two.ts': '',
    })
    expect(findRoomCycles(readImportGraph(tree))).toEqual([])
  })
})
