/**
 * Generates a body for each route from the hub's own document, and variants in which one text is replaced, so that no
 * field of a route is forgotten.
 */
import type { RawWeb } from './raw-web'

type Schema = Record<string, unknown> & {
  type?: string | string[]
  properties?: Record<string, Schema>
  items?: Schema
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  additionalProperties?: Schema | boolean
  $ref?: string
}

export interface RouteBody {
  method: string
  /** With `{name}` for ids. */
  path: string
  /** One for each alternative that the route accepts. */
  bodies: object[]
}

export async function routeBodies(web: RawWeb, login: string): Promise<RouteBody[]> {
  const document = JSON.parse((await web.ask('/api/v1/openapi.json', { headers: { login } })).body)
  const resolve = (schema: Schema): Schema =>
    schema.$ref === undefined ? schema : document.components.schemas[String(schema.$ref).split('/').at(-1) ?? '']
  const paths = Object.entries(document.paths as Record<string, Record<string, { requestBody?: unknown }>>)
  return paths.flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { requestBody }]) => {
      const content = requestBody as { content: Record<string, { schema: Schema }> } | undefined
      const schema = content?.content['application/json']?.schema
      return schema ? [{ method: method.toUpperCase(), path, bodies: samples(schema, resolve) as object[] }] : []
    }),
  )
}

/** Bodies with every field filled, one for each top-level alternative. */
function samples(said: Schema, resolve: (schema: Schema) => Schema): unknown[] {
  const schema = resolve(said)
  const choices = schema.oneOf ?? schema.anyOf
  return choices ? choices.flatMap((one) => samples(one, resolve)) : [sample(schema, resolve)]
}

function sample(said: Schema, resolve: (schema: Schema) => Schema): unknown {
  const schema = resolve(said)
  const [choice] = schema.oneOf ?? schema.anyOf ?? schema.allOf ?? []
  if (choice) return sample(choice, resolve)
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return schema.enum[0]
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type
  switch (type) {
    case 'object': {
      const fields = Object.entries(schema.properties ?? {}).map(([name, inner]) => [name, sample(inner, resolve)])
      const more =
        typeof schema.additionalProperties === 'object' ? [['NAME', sample(schema.additionalProperties, resolve)]] : []
      return Object.fromEntries([...fields, ...more])
    }
    case 'array':
      return schema.items ? [sample(schema.items, resolve)] : []
    case 'number':
    case 'integer':
      return 1
    case 'boolean':
      return false
    case 'null':
      return null
    default:
      return 'x'
  }
}

/** The same body with one of its texts replaced, for each text; keys of maps count as texts. */
export function withEach(body: unknown, text: string): Array<{ at: string; body: unknown }> {
  if (typeof body === 'string') return [{ at: '', body: text }]
  if (typeof body !== 'object' || body === null) return []
  return Object.entries(body).flatMap(([name, inner]) => {
    const put = (key: string, value: unknown) =>
      Array.isArray(body)
        ? [value]
        : { ...Object.fromEntries(Object.entries(body).filter(([k]) => k !== name)), [key]: value }
    const named = name === 'NAME' ? [{ at: `.{name}`, body: put(text, inner) }] : []
    return [
      ...named,
      ...withEach(inner, text).map(({ at, body: value }) => ({ at: `.${name}${at}`, body: put(name, value) })),
    ]
  })
}
