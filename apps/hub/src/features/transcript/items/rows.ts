/** One row of the list: an item of the log, or a block that is still being written. */
import type { LiveBlock } from '@roundhouse/delivery'
import type { Item } from './items'

export type Row = { key: string; item: Item } | { key: string; block: LiveBlock }
