/** The page's policy forbids code made from text: the schemas must not try to compile themselves. Import this first. */
import { z } from 'zod'

z.config({ jitless: true })
