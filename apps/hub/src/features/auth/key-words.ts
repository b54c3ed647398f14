/** The messages for a person whose browser cannot store a key, or has lost it. */
export const keyWords = {
  noCrypto:
    'This browser cannot create keys for this address, so it cannot sign in here. Open the hub over https, or as localhost on its own machine.',
  noStore:
    'This browser stores no site data for this hub, so it cannot stay signed in. Allow site data for this address, or leave the private window.',
  none: 'This browser is not signed in to this hub: it is new here, or its site data was cleared.',
} as const
