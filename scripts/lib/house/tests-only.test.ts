import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { findTestsOnly } from './tests-only.mjs'

describe('what tests call and the product never does', () => {
  let root: string
  beforeEach(() => {
    root = realpathSync(mkdtempSync(path.join(tmpdir(), 'tests-only-')))
    mkdirSync(path.join(root, 'app'))
    put('tsconfig.json', '{ "compilerOptions": { "strict": true, "noEmit": true }, "include": ["*.ts"] }')
  })
  afterEach(() => rmSync(root, { recursive: true }))

  const put = (name: string, text: string) => writeFileSync(path.join(root, 'app', name), text)
  const found = () => {
    const partOf = (file: string) => (file.endsWith('.test.ts') ? 'test' : 'product')
    return findTestsOnly({ root, projects: ['app'], partOf }).map(({ name }) => name)
  }
  const core = `
    export interface Core { tick(): void; close(): void }
    export class Pump { tick() {} }
    export function createCore(): Core {
      const pump = new Pump()
      return { tick: () => pump.tick(), close() {} }
    }`

  it('is named, though the product calls another method of that name', () => {
    put('core.ts', core)
    put('server.ts', `import { createCore } from './core'\ncreateCore().close()`)
    put('core.test.ts', `import { createCore } from './core'\nconst core = createCore()\ncore.tick()\ncore.close()`)
    expect(found()).toEqual(['Core.tick'])
  })

  it('is nothing once the product calls it, hands it on, or takes it out of its object', () => {
    put('core.ts', core)
    put('core.test.ts', `import { createCore } from './core'\ncreateCore().tick()`)
    for (const use of ['core.tick()', 'setInterval(core.tick, 1)', 'const { tick } = core\ntick()']) {
      put('server.ts', `import { createCore } from './core'\nconst core = createCore()\n${use}`)
      expect(found(), use).toEqual([])
    }
  })

  it('is nothing where the product has the object under another type, which names more than that', () => {
    put('core.ts', `export interface Clock { tick(): void; stop(): void }\n${core}`)
    put(
      'server.ts',
      `import { type Clock, createCore, Pump } from './core'\nexport const run = (clock: Clock) => clock.tick()\ncreateCore()`,
    )
    put('core.test.ts', `import { createCore } from './core'\ncreateCore().tick()`)
    expect(found()).toEqual(['Core.tick'])
    put('core.ts', `export interface Clock { tick(): void; close(): void }\n${core}`)
    expect(found()).toEqual([])
  })

  it('is a function too, also one that calls itself, and one that a test takes out of its object', () => {
    put('walk.ts', 'export function walk(n: number): number { return n > 0 ? walk(n - 1) : 0 }')
    put('core.ts', core)
    put(
      'walk.test.ts',
      `import { walk } from './walk'\nimport { createCore } from './core'\nwalk(1)\nconst { tick } = createCore()\ntick()`,
    )
    put('server.ts', `import { createCore } from './core'\ncreateCore().close()`)
    expect(found()).toEqual(['Core.tick', 'walk'])
  })
})
