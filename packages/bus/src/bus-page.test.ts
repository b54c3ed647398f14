// The page that describes the bus names each field that workers and orchestrators may send.
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { z } from 'zod'
import { commandSchemas } from './command-schemas'
import { eventKinds, severities, workerSchemas } from './worker-schemas'

const page = readFileSync(new URL('../../../docs/bus.md', import.meta.url), 'utf8')

describe('docs/bus.md', () => {
  it.each(Object.entries({ ...workerSchemas, ...commandSchemas }))('has the fields of %s', (name, schema) => {
    const fields = Object.entries(schema.data.shape as Record<string, z.ZodType>).map(([field, type]) =>
      type.safeParse(undefined).success ? `[\`${field}\`]` : `\`${field}\``,
    )
    const topic = schema.topic.replace('*', '<peer>')
    expect(page).toContain(`| \`${name}\` | \`${topic}\` | ${fields.join(', ') || 'none'} |\n`)
  })

  it('has the kinds and the severities of an event', () => {
    for (const word of [...eventKinds, ...severities]) expect(page).toContain(`\`${word}\``)
  })
})
