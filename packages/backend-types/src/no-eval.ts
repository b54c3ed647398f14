/**
 * In a browser the schemas must not compile themselves: a page with a strict policy forbids code made from text and
 * reports even the attempt. Evaluated before any schema is made, so this import stays the first of `index.ts`.
 */
import { z } from 'zod'

if ('document' in globalThis) z.config({ jitless: true })
