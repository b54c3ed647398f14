import { expect, it } from 'vitest'
import { z } from 'zod'
import { valueFault } from './value-fault'

const fault = (schema: z.ZodType, value: unknown) => {
  const [issue] = schema.safeParse(value).error?.issues ?? []
  return issue && valueFault(issue)
}

it.each([
  ['must be a text', z.string(), 7],
  ['is missing', z.object({ cwd: z.string() }), {}],
  ['must be a list', z.tuple([z.string()]), 'cat acp'],
  ['must be an object', z.record(z.string(), z.number()), []],
  ['must be a whole number', z.int(), 1.5],
  ['must be one of "read-only", "full-access"', z.enum(['read-only', 'full-access']), 'none'],
  ['must be "text"', z.literal('text'), 'image'],
  ['must have at least 1 character', z.string().min(1), ''],
  ['must have at most 1 entry', z.array(z.int()).max(1), [1, 2]],
  ['must be at least 1000', z.int().min(1000), 5],
  ['has no key "env"', z.strictObject({}), { env: {} }],
  ['is not valid', z.union([z.string(), z.int()]), {}],
  ['must be an absolute path', z.string().startsWith('/', 'must be an absolute path'), 'kilo'],
])('says "%s"', (said, schema, value) => {
  expect(fault(schema, value)).toBe(said)
})
