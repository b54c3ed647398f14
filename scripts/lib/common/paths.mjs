// The repository's root, and the few paths that several scripts share.
import path from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..')
export const inRoot = (...parts) => path.join(root, ...parts)
export const schemaFile = inRoot('prisma/schema.prisma')
export const migrationsDir = inRoot('prisma/migrations/sqlite')
