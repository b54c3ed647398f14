/**
 * The login that a person ended in this browser. Its key stays (`KeyStore`), and no page makes requests with it any more. The key
 * of another sign-in has another id.
 */
const KEY = 'roundhouse.signed-out'

export const endedLogin = {
  note: (keyId: string): void => localStorage.setItem(KEY, keyId),
  is: (keyId: string): boolean => localStorage.getItem(KEY) === keyId,
  /** In another tab of this browser. Returns what stops listening. */
  onNoted(keyId: string, heard: () => void): () => void {
    const hear = ({ key, newValue }: StorageEvent) => {
      if (key === KEY && newValue === keyId) heard()
    }
    addEventListener('storage', hear)
    return () => removeEventListener('storage', hear)
  },
}
