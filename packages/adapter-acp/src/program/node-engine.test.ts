import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TempDir, tempDir } from '@roundhouse/adapter-testkit'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { accepts, requireNode } from './node-engine'

describe('a range of versions', () => {
  const range = '>=24.16.0 <25 || >=26.1.0'
  it.each([
    ['20.20.2', false],
    ['24.15.9', false],
    ['24.16.0', true],
    ['25.0.0', false],
    ['26.1.0', true],
    ['27.0.0', true],
  ])('accepts %s: %s', (version, isAccepted) => {
    expect(accepts(range, version)).toBe(isAccepted)
  })

  it('in words that are not known refuses nothing', () => {
    expect(accepts('^24 || lts/*', '20.20.2')).toBe(true)
  })
})

describe.skipIf(process.platform === 'win32')('a program that needs a Node.js', () => {
  let root: TempDir
  beforeEach(() => {
    root = tempDir('node-engine')
  })
  afterEach(() => root.remove())

  function program(firstLine: string, engines?: object): string {
    const file = join(root.path, 'claw.mjs')
    writeFileSync(file, `${firstLine}\nconsole.log(1)\n`)
    writeFileSync(join(root.path, 'package.json'), JSON.stringify({ name: 'claw', engines }))
    return file
  }
  function nodeOf(version: string): Record<string, string> {
    mkdirSync(join(root.path, 'bin'), { recursive: true })
    const node = join(root.path, 'bin', 'node')
    writeFileSync(node, `#!/bin/sh\necho v${version}\n`)
    chmodSync(node, 0o755)
    return { PATH: `${join(root.path, 'bin')}:/usr/bin:/bin` }
  }
  const refusal = (file: string, env: Record<string, string>) =>
    requireNode('Claw', file, env).then(
      () => undefined,
      ({ code, message }) => ({ code, message }),
    )
  const script = '#!/usr/bin/env node'

  it('is refused with the one that it needs and the one that is here', async () => {
    const file = program(script, { node: '>=24.16.0 <25' })
    expect(await refusal(file, nodeOf('20.20.2'))).toEqual({
      code: 'BACKEND_UNAVAILABLE',
      message: "Claw needs Node.js >=24.16.0 <25. The node on this machine's PATH is 20.20.2.",
    })
    expect(await refusal(file, nodeOf('24.21.0'))).toBeUndefined()
  })

  it('is started where nobody can tell', async () => {
    const old = nodeOf('20.20.2')
    expect(await refusal(program('#!/opt/own/node', { node: '>=24' }), old)).toBeUndefined()
    expect(await refusal(program(script), old)).toBeUndefined()
    expect(await refusal(join(root.path, 'nowhere'), old)).toBeUndefined()
    expect(await refusal(program(script, { node: '>=24' }), { PATH: '/nowhere' })).toBeUndefined()
  })
})
