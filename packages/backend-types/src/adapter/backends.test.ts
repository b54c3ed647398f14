import { expect, it } from 'vitest'
import { backendKinds, backendName } from './backends'

it('backends have names, and one that is not known here is called what it calls itself', () => {
  expect(backendKinds.map(backendName)).toEqual(['Claude Code', 'Codex', 'Demo (scripted)'])
  expect(['other', 'toString', ''].map(backendName)).toEqual(['other', 'toString', 'Unknown program'])
})
