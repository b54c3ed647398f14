import type { AgentView } from '@roundhouse/backend-types'
import { expect, it } from 'vitest'
import { backendNames } from './backend-names'

const machine = (agentId: string, backends: Record<string, string>) =>
  ({
    agentId,
    manifest: { backends: Object.entries(backends).map(([kind, label]) => ({ kind, label })) },
  }) as unknown as AgentView

it('a backend is called as its machine calls it, else as another does, else by its kind', () => {
  const silent = { agentId: 'new' } as AgentView
  const nameOf = backendNames([silent, machine('a', { claude: 'Claude Code' }), machine('b', { claude: 'Claude 9' })])
  expect(nameOf('claude', 'b')).toBe('Claude 9')
  expect(nameOf('claude', 'new')).toBe('Claude Code')
  expect(nameOf('claude')).toBe('Claude Code')
  expect(['one-shot', 'toString', ''].map((kind) => nameOf(kind, 'a'))).toEqual([
    'one-shot',
    'toString',
    'Unknown program',
  ])
})
