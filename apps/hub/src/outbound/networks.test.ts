import { describe, expect, it } from 'vitest'
import { urlRefusal } from './judge-url'
import { isPublic, Networks } from './networks'

const none = new Networks([])

describe('[HOOK-6] [A38] an address', () => {
  it.each([
    ['this machine', '127.0.0.1', '127.255.255.254', '::1'],
    ['no address at all', '0.0.0.0', '0.1.2.3', '::'],
    ['a private network', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1'],
    ['a network behind a carrier', '100.64.0.1', '100.127.255.255'],
    ['a link', '169.254.169.254', 'fe80::1', 'fe80::1%eth0'],
    ['a unique local network', 'fc00::1', 'fd12:3456::1'],
    ['a site-local network', 'fec0::1'],
    ['many machines', '224.0.0.1', '239.1.2.3', '255.255.255.255', 'ff02::1'],
    [
      'reserved',
      '192.0.2.1',
      '198.51.100.1',
      '203.0.113.1',
      '198.18.0.1',
      '240.0.0.1',
      '2001:db8::1',
      '3fff::1',
      '100::1',
    ],
    [
      'an address of IPv4 in IPv6',
      '::ffff:127.0.0.1',
      '::ffff:8.8.8.8',
      '::ffff:7f00:1',
      '::127.0.0.1',
      '::ffff:0:127.0.0.1',
    ],
    ['a translated address', '64:ff9b::7f00:1', '64:ff9b::808:808', '64:ff9b:1::a00:1'],
    ['a tunnel', '2002:7f00:1::', '2001:0:1::1'],
    ['none', '', 'localhost', '127.1', '0x7f000001', '2130706433', '127.0.0.1:80', '[::1]', '1.2.3.4.5'],
  ])('that is %s is refused', (_what, ...addresses) => {
    expect(addresses.filter((address) => isPublic(address) || none.reaches(address))).toEqual([])
  })

  it('that is public is taken', () => {
    const addresses = ['1.1.1.1', '93.184.216.34', '172.32.0.1', '2606:4700:4700::1111', '2a00:1450:4001::1']
    expect(addresses.filter((address) => !isPublic(address))).toEqual([])
  })

  it('that the operator named is taken, and its neighbours are not', () => {
    const networks = new Networks(['10.1.0.0/16', '192.168.1.20', '::1', 'fd00:1::/32'])
    const taken = ['10.1.2.3', '192.168.1.20', '::1', 'fd00:1::5', '1.1.1.1']
    const refused = ['10.2.0.1', '192.168.1.21', '127.0.0.1', '::ffff:10.1.2.3', 'fd00:2::5']
    expect([taken.filter((one) => !networks.reaches(one)), refused.filter((one) => networks.reaches(one))]).toEqual([
      [],
      [],
    ])
  })

  it.each(['10.0.0.0/33', '10.0.0', 'home', '10.0.0.0/8/8', '127.1', ''])(
    '%j that the operator names is no network',
    (text) => {
      expect(() => new Networks([text])).toThrow(/ROUNDHOUSE_OUTBOUND_NETWORKS/)
    },
  )
})

describe('[HOOK-6] an address as a person writes it', () => {
  const judged = (...urls: string[]) => Object.fromEntries(urls.map((url) => [url, urlRefusal(url, none)]))

  it('is https, on a port of the web or a free one, without a name and password', () => {
    expect(
      judged(
        'https://example.com/hook?a=b',
        'https://example.com:8443/',
        'https://1.1.1.1/',
        'https://[2606:4700:4700::1111]/',
        'http://example.com/',
        'ftp://example.com/',
        'file:///etc/passwd',
        'javascript:alert(1)',
        'https://ana@example.com/',
        'https://ana:secret@example.com/',
        'https://example.com/#part',
        'https://example.com:22/',
        'https://example.com:6667/',
        'example.com',
        'https://',
      ),
    ).toEqual({
      'https://example.com/hook?a=b': null,
      'https://example.com:8443/': null,
      'https://1.1.1.1/': null,
      'https://[2606:4700:4700::1111]/': null,
      'http://example.com/': 'scheme',
      'ftp://example.com/': 'scheme',
      'file:///etc/passwd': 'scheme',
      'javascript:alert(1)': 'scheme',
      'https://ana@example.com/': 'credentials',
      'https://ana:secret@example.com/': 'credentials',
      'https://example.com/#part': 'invalid',
      'https://example.com:22/': 'port',
      'https://example.com:6667/': 'port',
      'example.com': 'invalid',
      'https://': 'invalid',
    })
  })

  it('is refused at once where it is an address by itself, however it is written', () => {
    const forms = ['127.0.0.1', '127.1', '0x7f.1', '2130706433', '017700000001', '[::1]', '[::ffff:127.0.0.1]', '0']
    expect(forms.map((form) => urlRefusal(`https://${form}/`, none))).toEqual(forms.map(() => 'address'))
  })

  it('may be http only where the operator named a network, and then to no public address', () => {
    const networks = new Networks(['127.0.0.0/8'])
    expect(urlRefusal('http://127.0.0.1:8080/', networks)).toBeNull()
    expect(urlRefusal('http://a.home.example/', networks)).toBeNull() // judged at the connection
    expect(urlRefusal('http://1.1.1.1/', networks)).toBe('address')
    expect(urlRefusal('http://10.0.0.1/', networks)).toBe('address')
  })
})
