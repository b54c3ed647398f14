/** Sample values for a zod schema: some valid ones, and each of those with one change at one place. */
import type { z } from 'zod'

// What a definition holds depends on its type; zod's own types name it for each schema class only.
// biome-ignore lint/suspicious/noExplicitAny: see above
type Def = any

const defOf = (schema: unknown): Def => (schema as z.ZodType).def
const absent = Symbol('absent')

/** Values of any type: most of them fit nowhere. */
const strange = [undefined, null, true, false, 0, -1, 0.5, 1e300, Number.NaN, '', 'x', '7', [], [1], {}, { a: 1 }]

const texts = [
  '',
  'a',
  '{"a":1}',
  'a@b.example',
  'not@mail',
  'QUJD',
  'QUJ=C',
  '12 34 56',
  '123456',
  'abcde-fghij',
  'A_1',
  'worker.p7.boot',
  'worker-boot-v1',
  '2026-04-27T12:00:00.123Z',
  '2026-99-27T12:00:00Z',
].concat('0'.repeat(64), 'a'.repeat(64), 'a'.repeat(65), ' spaced ', 'claude --resume {id}', 'x'.repeat(300))

const valuesOf: Record<string, (def: Def) => unknown[]> = {
  string: () => texts,
  number: () => [0, 1, 2, -3, 7.5, 40, 1_795_000_000_000, Number.MAX_SAFE_INTEGER, 2 ** 53, '12', 'x'],
  boolean: () => [true, false],
  unknown: () => ['text', { deep: [1, { a: null }] }],
  literal: (def) => def.values,
  enum: (def) => Object.values(def.entries),
  optional: (def) => [...fitting(def.innerType), undefined, absent],
  nullable: (def) => [...fitting(def.innerType), null],
  default: (def) => [...fitting(def.innerType), undefined, absent],
  catch: (def) => [...fitting(def.innerType), 'does not fit', absent],
  pipe: (def) => fitting(def.in),
  union: (def) => def.options.flatMap((option: unknown) => fitting(option).slice(0, 12)),
  array: (def) => {
    const items = fitting(def.element)
    return [
      [],
      [firstThatFits(def.element)],
      items.slice(0, 1),
      items.slice(0, 2),
      new Array(101).fill(items[0]),
      [...items.slice(0, 1), null],
    ]
  },
  record: (def) => {
    const keys = fitting(def.keyType).filter((key) => typeof key === 'string')
    return [{}, ...fitting(def.valueType).map((value) => ({ [keys[0] as string]: value })), { 'odd key': 1, '': '' }]
  },
  object: (def) => {
    const fields = Object.entries(def.shape as Record<string, z.ZodType>)
    const base = Object.fromEntries(fields.map(([key, field]) => [key, firstThatFits(field)]))
    const changed = fields.flatMap(([key, field]) =>
      [absent, ...strange, ...fitting(field)].map((value) => ({ ...base, [key]: value })),
    )
    return [base, { ...base, strange: 1 }, { ...base, strange: { a: [] } }, ...changed].map(withoutAbsent)
  },
}

const withoutAbsent = (value: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(value).filter(([, one]) => one !== absent))

const known = new Map<unknown, unknown[]>()

/** Candidates by the look of the definition; a few may not fit. */
function fitting(schema: unknown): unknown[] {
  const found = known.get(schema)
  if (found) return found
  const def = defOf(schema)
  const make = valuesOf[def.type]
  if (!make) throw new Error(`no samples for ${def.type}`)
  const made = make(def)
  known.set(schema, made)
  return made
}

const firstThatFits = (schema: z.ZodType) =>
  fitting(schema).find((value) => value !== absent && schema.safeParse(value).success)

export const samplesOf = (schema: z.ZodType): unknown[] =>
  [...strange, ...fitting(schema)].filter((value) => value !== absent)
