import path from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { allGoldenEvents, badEvents, goldenAsk } from './fixtures'
import * as contract from './index'
import { samplesOf } from './testing/samples-of-schema'

/** The contract as a page has it: loading it throws where a schema needs what `page-zod` lacks. */
async function contractOfPages(): Promise<Record<string, unknown>> {
  const { outputFiles } = await build({
    entryPoints: [path.join(import.meta.dirname, 'index.ts')],
    alias: { zod: path.join(import.meta.dirname, 'page-zod.ts') },
    bundle: true,
    write: false,
    format: 'esm',
    logLevel: 'silent',
  })
  const code = Buffer.from(outputFiles[0]?.contents ?? []).toString('base64')
  return import(/* @vite-ignore */ `data:text/javascript;base64,${code}`)
}

interface Reads {
  safeParse: (value: unknown) => { success: boolean; data?: unknown; error?: { issues: { path: unknown[] }[] } }
}
const schemas = Object.entries(contract as Record<string, unknown>).filter(
  (entry): entry is [string, z.ZodType] => entry[1] instanceof z.ZodType,
)
const pages = await contractOfPages()
const ofPage = (name: string) => pages[name] as Reads

function expectSame(name: string, schema: z.ZodType, values: unknown[]) {
  const own = ofPage(name)
  const other = values.filter((value) => {
    const [theirs, ours] = [schema.safeParse(value), own.safeParse(value)]
    const same = theirs.success === ours.success && isDeepStrictEqual(theirs.data, ours.data)
    return !same || JSON.stringify(theirs.data) !== JSON.stringify(ours.data)
  })
  expect(other, name).toEqual([])
}

describe("the pages' own schemas", () => {
  it('are all there', () => {
    expect(schemas.length).toBeGreaterThan(100)
  })

  it.each(schemas)('read as %s what zod reads, and refuse what it refuses', (name, schema) => {
    const samples = samplesOf(schema)
    expect(samples.some((value) => schema.safeParse(value).success)).toBe(true)
    expectSame(name, schema, samples)
  })

  it('read every golden event and refuse every bad one, at the same place', () => {
    expectSame('SessionEvent', contract.SessionEvent, [...allGoldenEvents, ...badEvents.map((bad) => bad.value)])
    expectSame('PermissionAsk', contract.PermissionAsk, [goldenAsk])
    for (const { value, path: place } of badEvents) {
      expect(
        ofPage('SessionEvent')
          .safeParse(value)
          .error?.issues.map((issue) => issue.path.join('.')),
      ).toEqual([place])
    }
  })

  it('keep no prototype that an answer brings', () => {
    const value = JSON.parse('{"code":"A","message":"","retryable":false,"details":{"__proto__":{"a":1},"b":2}}')
    expectSame('ErrorBody', contract.ErrorBody, [value])
  })
})
