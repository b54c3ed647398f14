import { expect, it } from 'vitest'
import { z } from 'zod'
import { loginRoutes, routes } from '../routes'
import { samplesOf } from '../testing/samples-of-schema'
import { firstFault, valueFault } from './value-fault'

const fault = (schema: z.ZodType, value: unknown) => {
  const [issue] = schema.safeParse(value).error?.issues ?? []
  return issue && valueFault(issue)
}

const kindOf = (first: string, ...kinds: string[]) => {
  const option = (kind: string) => z.object({ kind: z.literal(kind) })
  return z.discriminatedUnion('kind', [option(first), ...kinds.map(option)])
}

it.each([
  ['must be a text', z.string(), 7],
  ['is missing', z.object({ cwd: z.string() }), {}],
  ['must be a list', z.tuple([z.string()]), 'cat acp'],
  ['must be an object', z.record(z.string(), z.number()), []],
  ['must be a whole number', z.int(), 1.5],
  ['must be one of "read-only", "full-access"', z.enum(['read-only', 'full-access']), 'none'],
  ['must be "text"', z.literal('text'), 'image'],
  ['must be one of "a", "b"', kindOf('a', 'b'), { kind: 'c' }],
  ['is not a known value', kindOf('a', ...'bcdefghijklm'), { kind: 'z' }],
  ['must have at least 1 character', z.string().min(1), ''],
  ['must have at most 1 entry', z.array(z.int()).max(1), [1, 2]],
  ['must be at least 1000', z.int().min(1000), 5],
  ['must be more than 0', z.int().positive(), 0],
  ['must be an e-mail address', z.email(), 'ana'],
  ['does not have the right form', z.string().regex(/^a$/), 'b'],
  ['must not have "env"', z.strictObject({}), { env: {} }],
  ['is not valid', z.union([z.string(), z.int()]), {}],
  ['must be an absolute path', z.string().startsWith('/', 'must be an absolute path'), 'kilo'],
])('says "%s"', (said, schema, value) => {
  expect(fault(schema, value)).toBe(said)
})

it('names the first problem by its place, and the value itself where that is wrong', () => {
  const first = (schema: z.ZodType, value: unknown, ...names: [string, string?]) => {
    const { error } = schema.safeParse(value)
    return error && firstFault(error, ...names)
  }
  const body = z.object({ images: z.array(z.object({ imageId: z.string() })) })
  expect(first(body, { images: [{}] }, 'request')).toEqual({
    path: 'images.0.imageId',
    text: 'images.0.imageId: is missing',
  })
  expect(first(body, [], 'request')).toEqual({ path: '', text: 'request: must be an object' })
  expect(first(body, 7, 'payload', 'payload')).toEqual({ path: 'payload', text: 'payload: must be an object' })
  expect(first(body, {}, 'payload', 'payload')).toEqual({ path: 'payload.images', text: 'payload.images: is missing' })
})

it('says nothing about the query and the body of any route in words of zod', () => {
  const schemas = [...Object.values(routes), ...Object.values(loginRoutes)].flatMap((row) => [
    ...('body' in row ? [row.body] : []),
    ...('query' in row ? [row.query] : []),
  ])
  const texts = schemas.flatMap((schema) =>
    [...samplesOf(schema), undefined, [], {}, { unknown: 1 }].flatMap((value) => {
      const { error } = schema.safeParse(value)
      return error ? [firstFault(error, 'request').text] : []
    }),
  )
  expect(texts.length).toBeGreaterThan(1_000)
  expect(
    [...new Set(texts)].filter((text) => /invalid|expected|received|unrecognized|too (small|big)/i.test(text)),
  ).toEqual([])
})
