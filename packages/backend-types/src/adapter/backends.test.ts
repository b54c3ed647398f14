import { expect, it } from 'vitest'
import { backendName, isBackendKind } from './backends'

it('a backend is called by its label, and where nobody knows that by its kind', () => {
  expect(backendName('claude', 'Claude Code')).toBe('Claude Code')
  expect(['other', 'toString', ''].map((kind) => backendName(kind))).toEqual(['other', 'toString', 'Unknown program'])
})

it('a kind is a short plain word', () => {
  expect(['claude', 'one-shot', 'x1'].every(isBackendKind)).toBe(true)
  expect(['', 'Claude', '1x', '../x', 'a b', 'a/b', '__proto__', 'x'.repeat(65)].some(isBackendKind)).toBe(false)
})
