import { expect, it } from 'vitest'
import { Adoptions } from './adoptions'

const ids = Array.from({ length: 10 }, (_, at) => `s${at}`)

it('[RES-4] [RES-6] every session stands in its own line before any of them is settled, and eight are settled at a time', async () => {
  const adoptions = new Adoptions()
  const inLine: string[] = []
  const begun: Array<() => void> = []
  const settled: string[] = []
  const all = adoptions.all(
    ids,
    (sessionId, when) => {
      inLine.push(sessionId)
      return when(() => new Promise((resolve) => begun.push(resolve)))
    },
    (sessionId) => settled.push(sessionId),
  )
  expect(inLine).toEqual(ids)
  expect(begun).toHaveLength(8)
  expect(ids.every((id) => adoptions.isUnderWay(id))).toBe(true)
  for (let at = 0; at < ids.length; at += 1) {
    begun[at]?.()
    await new Promise(setImmediate)
  }
  await all
  expect(settled).toEqual(ids)
  expect(ids.some((id) => adoptions.isUnderWay(id))).toBe(false)
})

it('[RES-1] a daemon that leaves begins nothing more', async () => {
  const adoptions = new Adoptions()
  adoptions.stop()
  const settled: string[] = []
  let begun = 0
  await adoptions.all(
    ids,
    (_sessionId, when) =>
      when(async () => {
        begun += 1
      }),
    (sessionId) => settled.push(sessionId),
  )
  expect([begun, settled]).toEqual([0, []])
})
