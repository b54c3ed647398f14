/**
 * The contract's schemas as named components of the OpenAPI document. Input and output of one schema may differ (a field
 * with a default is optional in a body and always present in an answer). If the document has both, the input is named
 * `…Input`.
 */
import * as contract from '@roundhouse/backend-types'
import { z } from 'zod'

export type Json = Record<string, unknown>
export type Side = 'input' | 'output'

const ROOT = '#/components/schemas/'

const names = new Map<z.ZodType, string>(
  Object.entries<unknown>(contract).flatMap(([name, value]) => (value instanceof z.ZodType ? [[value, name]] : [])),
)

const reference = /"\$ref":"#\/components\/schemas\/([^"]+)"/g
const refsOf = (text: string): string[] => [...text.matchAll(reference)].map(([, name]) => name ?? '')
const rename = (text: string, to: (name: string) => string): string =>
  text.replace(reference, (_, name: string) => `"$ref":"${ROOT}${to(name)}"`)

const options = { unrepresentable: 'any', override: dropEmptyChoice } as const

/** `unknown` beside another choice takes everything. */
function dropEmptyChoice({ jsonSchema }: { jsonSchema: Json }): void {
  const choices = jsonSchema.anyOf as Json[] | undefined
  if (choices?.some((choice) => Object.keys(choice).length === 0)) delete jsonSchema.anyOf
}

/** Each schema of the contract by its name, as JSON. */
function convert(io: Side): Map<string, string> {
  const registry = z.registry<{ id: string }>()
  for (const [schema, id] of names) registry.add(schema, { id })
  const { schemas } = z.toJSONSchema(registry, { ...options, io, uri: (id) => `${ROOT}${id}` })
  return new Map(Object.entries(schemas).map(([name, { $id, $schema, ...schema }]) => [name, JSON.stringify(schema)]))
}

/** Schemas whose input and output differ, by themselves or through a schema that they refer to. */
function findTwoSided(input: Map<string, string>, output: Map<string, string>): Set<string> {
  const differs = new Set([...input.keys()].filter((name) => input.get(name) !== output.get(name)))
  for (let before = -1; before < differs.size; ) {
    before = differs.size
    for (const [name, text] of input) if (refsOf(text).some((other) => differs.has(other))) differs.add(name)
  }
  return differs
}

export class SchemaComponents {
  readonly #texts: Map<string, string>
  readonly #twoSided: Set<string>

  constructor() {
    const input = convert('input')
    this.#texts = convert('output')
    this.#twoSided = findTwoSided(input, this.#texts)
    for (const name of this.#twoSided) {
      const text = rename(input.get(name) ?? '{}', (other) => this.#nameOf(other, 'input'))
      this.#texts.set(this.#nameOf(name, 'input'), text)
    }
  }

  /** How a body or an answer names its schema. One that the contract does not export is written out. */
  ref(schema: z.ZodType, io: Side): Json {
    const name = names.get(schema)
    if (name !== undefined) return { $ref: `${ROOT}${this.#nameOf(name, io)}` }
    const { $schema, ...written } = z.toJSONSchema(schema, { ...options, io })
    return written
  }

  /** Its fields, for parameters. */
  fields(schema: z.ZodType): { properties: Record<string, Json>; required: readonly string[] } {
    const { properties = {}, required = [] } = z.toJSONSchema(schema, { ...options, io: 'input' })
    return { properties: properties as Record<string, Json>, required }
  }

  /** `paths` with the components that they refer to, directly or by another one. */
  complete(paths: Json): { paths: Json; schemas: Json } {
    const reached = this.#reach(JSON.stringify(paths))
    const short = (name: string) => {
      const plain = name.replace(/Input$/, '')
      return this.#twoSided.has(plain) && !reached.has(plain) ? plain : name
    }
    const schemas = [...reached].map(([name, text]) => [short(name), JSON.parse(rename(text, short))] as const)
    return {
      paths: JSON.parse(rename(JSON.stringify(paths), short)),
      schemas: Object.fromEntries(schemas.sort(([a], [b]) => a.localeCompare(b))),
    }
  }

  #reach(text: string): Map<string, string> {
    const reached = new Map<string, string>()
    const waiting = refsOf(text)
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
      if (reached.has(name)) continue
      const found = this.#texts.get(name) ?? '{}'
      reached.set(name, found)
      waiting.push(...refsOf(found))
    }
    return reached
  }

  #nameOf(name: string, io: Side): string {
    return io === 'input' && this.#twoSided.has(name) ? `${name}Input` : name
  }
}
