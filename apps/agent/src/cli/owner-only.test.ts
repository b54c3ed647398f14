import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { agentHome } from '../files/agent-home'
import { readArguments } from './arguments'
import { requireOwner } from './owner-only'

let root: string
beforeAll(() => {
  root = mkdtempSync(path.join(tmpdir(), 'rh-owner-'))
})
afterAll(() => rmSync(root, { recursive: true }))

describe('[POL-4] a program of a session', () => {
  const verb = (words: string) => readArguments(words.split(' '))

  it.each(['sessions', 'bridges'] as const)('that is one of the %s may only look', (kind) => {
    const home = agentHome({ ROUNDHOUSE_AGENT_HOME: path.join(root, kind) })
    mkdirSync(path.join(home[kind], 's1'), { recursive: true })
    const env = { ROUNDHOUSE_SESSION: 's1' }
    const refused = expect.objectContaining({ code: 'FORBIDDEN' })
    for (const words of ['bridge', 'bridge --backend codex', 'allow /', 'pause', 'up'])
      expect(() => requireOwner(verb(words), env, home), words).toThrow(refused)
    expect(() => requireOwner(verb('policy'), env, home)).not.toThrow()
    expect(() => requireOwner(verb('bridge'), {}, home)).not.toThrow()
  })

  it('of another home may have an agent of its own', () => {
    const home = agentHome({ ROUNDHOUSE_AGENT_HOME: path.join(root, 'other') })
    expect(() => requireOwner(verb('bridge'), { ROUNDHOUSE_SESSION: 's1' }, home)).not.toThrow()
  })
})
