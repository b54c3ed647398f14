// The stores of this house, one line each. A second store is a folder beside `sqlite` and a line here.

import type { StorePlace } from '../testing/store-context'
import { openTestStore, type TestStore } from '../testing/test-store'
import { storeSuite } from './store.suite'

storeSuite('the SQLite store', sqlitePlace)

async function sqlitePlace(): Promise<StorePlace> {
  let store: TestStore | undefined
  return {
    open: async () => {
      store = await openTestStore(store ? { file: store.file } : {})
      return store
    },
    close: async () => store?.close(),
    remove: async () => store?.remove(),
  }
}
