import { identify, isRunning, type ProcessIdentity } from '@roundhouse/owner'
import { expect, it } from 'vitest'
import { identityOf, isSameProcess } from './process-facts.mjs'

it('[RES-6] a script and the programs name a process alike, so that one believes what the other wrote', () => {
  const byPrograms = identify(process.ppid) as ProcessIdentity
  const byScripts = identityOf(process.ppid) as ProcessIdentity
  expect(byScripts).toEqual(byPrograms)
  expect(isSameProcess(byPrograms)).toBe(true)
  expect(isRunning(byScripts)).toBe(true)
  expect(isSameProcess({ ...byPrograms, start: 'earlier' })).toBe(false)
})
