/** What to tell a person whose browser cannot keep a key, or has lost it. */
export const keyWords = {
  noCrypto:
    'This browser makes no keys for this address, so it cannot sign in here. Open the hub by https, or on its own machine as localhost.',
  noStore:
    'This browser keeps no site data for this hub, so it cannot stay signed in. Allow site data for this address, or leave the private window.',
  none: 'This browser has no login for this hub: it is new here, or its site data was cleared. Sign in.',
} as const
