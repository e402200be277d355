/// Keys made for these tests with openssl; nothing anywhere trusts them.
enum TestKeys {
  /// PKCS #8, as Apple's `.p8` files are.
  static let p256 = """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgXDAw6j5tvBBZCz6j
    3s94I6OkrpJkBiMkWETuz3cRSyahRANCAASESLcwRhQMUuRUMrzdbf+PWOnEF6dm
    CoVv8QZqQdcOxQIEEgUpgY1C2+IQ35gBym2UH4UJS9z+4GJi3a1Fi7ZZ
    -----END PRIVATE KEY-----
    """

  /// The same key in SEC 1.
  static let sec1 = """
    -----BEGIN EC PRIVATE KEY-----
    MHcCAQEEIFwwMOo+bbwQWQs+o97PeCOjpK6SZAYjJFhE7s93EUsmoAoGCCqGSM49
    AwEHoUQDQgAEhEi3MEYUDFLkVDK83W3/j1jpxBenZgqFb/EGakHXDsUCBBIFKYGN
    QtviEN+YAcptlB+FCUvc/uBiYt2tRYu2WQ==
    -----END EC PRIVATE KEY-----
    """

  /// SEC 1 behind its parameters, as `openssl ecparam -genkey` writes it.
  static let sec1WithParameters = """
    -----BEGIN EC PARAMETERS-----
    BggqhkjOPQMBBw==
    -----END EC PARAMETERS-----
    -----BEGIN EC PRIVATE KEY-----
    MHcCAQEEIB0rZJQpNSg2FHG6Y5Kf6YoNjYjq60R72OVMfUdKF+3VoAoGCCqGSM49
    AwEHoUQDQgAEuMBlx/nYbckpEwXFnNZ/oC/smxOgRaN1XYDWfpH4b7NXf5O55Uqv
    yVLTLF3qoaSv0dTXmdXPur15yXHH3pdHFQ==
    -----END EC PRIVATE KEY-----
    """

  static let p384 = """
    -----BEGIN PRIVATE KEY-----
    MIG2AgEAMBAGByqGSM49AgEGBSuBBAAiBIGeMIGbAgEBBDDrtc27hn8C3kS1bdIj
    yHCGHEnbrCIaWUvr0eGfVB3RamOBCSxW0ZNmAm0dt4kG35OhZANiAAQ868/f/m2n
    yYeXxxaiz1bABbHVm++i3IHf716PWyvuircU54Sr+lq3Nit5cViWySottnPiTOUg
    2ErfOzK6m1C9tnMWbUjPGNV0EF/TWuWHpNwnaROn9TSG/G4q7z9fQvU=
    -----END PRIVATE KEY-----
    """

  static let secp256k1 = """
    -----BEGIN PRIVATE KEY-----
    MIGEAgEAMBAGByqGSM49AgEGBSuBBAAKBG0wawIBAQQgNCqncRrzrXTCFZXTcv+l
    OJk6FjBwv+0uSt7h4rRtbK2hRANCAAQkoENPcSYoOZiLZbkCQZAx844kQnoWymWL
    rs8g8fccNRetoW0MbwGQtGAaRk64INbCax2Cw7o/lsOs6pKr1WU0
    -----END PRIVATE KEY-----
    """

  static let ed25519 = """
    -----BEGIN PRIVATE KEY-----
    MC4CAQAwBQYDK2VwBCIEIOzVDvODHiwwm0Ju41W2xZqP6p3NQQ/uFr6/MQqocdR0
    -----END PRIVATE KEY-----
    """

  static let rsa = """
    -----BEGIN PRIVATE KEY-----
    MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC+oWqZT7dKclYx
    RfKZXRwCPKFojOxEZyji0YE9a1RnILLzrmM2BGXFfgenSSKq621i8YE7qEk60p/A
    ypwnwGn48pDfj6oCEaSr5zc4Iqpi70hdn8VDUmDqLhGnOscYrqo7zTAckGc/wZjb
    wS9BEWP83Ot1zyL18OlQVkCw8JndWuBecuBdhsgkS0savMlTmNJsBGu62+1+oLQ1
    LMGTdUC4IkYCuZNNSwzIPoDBHyaq03xJpmOn67NA5QvKyfZSjVctXaDWtjdxNAQY
    PpAfQe9WRJIby4Hqeu1kkBVm027zLRSLLknAkG5Hm+ASLkcLokucK0r6cfiIK6yA
    0iZIMEQzAgMBAAECggEALy5rYFOjFWl0HNDnqP6rCoCwIFzUs19m9rCM0MNKShYF
    RJuyUXHIMJevVD+dNXl8guMsLbRKn6T2xjQ/bvVIJUYABl0b4lQ0khlxiNLHoiIA
    IrADFlUCyKMrWl0JXvoIBzITSNaSv2xupWFMjUm9Gh4hpvBkAkQksu4OJ9z88BR6
    8zQPG4qQLod56QU8xPfCzYRvxiA9L5Lskh3MjeakYTM8b9wBxxd55K+xNSH8RPHw
    2VTMZZN/q6ldEwz3WVswUBerJFb2nDuNawcKiSCMR4xqjsVmQVjo3K5w5YOyAQti
    npjz7i/V362b0tMeLpcemXp2xTqIslAzJwI3NJPA0QKBgQDpijSFSLgn+/VNrJME
    +ocz6FpIjXwInr8zywtApUj3MbtMOdiLbWcLiLZMLyXryPqcVAXd636wqZNzURh9
    2NleQ1iejL4bZKQ8/k+v4UL3A2IuDqVD/tWUZS2OurfNLT1ojV0XhIdTid/+erNM
    yhmP/2fieUGWYfUifDfvff7QQwKBgQDQ9saJvZsr0L+ZeNBi2Sq/oSaBvLH7VgLZ
    BlcXJR/iuGY9Wx7bRYyyQxj41A1EdpoOTOz0FNNC0sVXOVbnghEwYJX7tySX5Cfn
    IXA2Z3CCwiffINKsUrP3gfbna3IShwdn+BxUD+VG+KyGWqnX9RQ1KuhJucnCRmUr
    R75ECNu1UQKBgHYO4aIHMuEzo7wSY3f+1d5NtWY779nDtlCOci/J3mrn/xD3pRpG
    wfK4t78njnn1bYsdhqG67J6N+vYuprznpGrcjK4J5AihBc23mb0FmP6Z/UXfLXiE
    GKAdzbv7c/MKzaJO5CKBYo++gTd5+63z9Jwwtulr9tX4yx0VwokVHn1VAoGAemcj
    UwnavCayJP8M6eoVzVxjRvm2M+hlEKVTHH6ll9O2J9iZUY4C5WTCWvczslfa0+eh
    oTQVr/3wlLBExKV+1hytnl3gNIz0BsKijWu4DxAV9PCwFzr2qlPZwiNBFbM81l0S
    kvcgsZr2zFiNRrALnz08BfurQH6lwl1rCUU7FZECgYEA05NuFC+BwPpZG/AM5X0A
    Fx/zgf3Rfqo/MXSNDE9XxV9yg10z8tes5TANnYzte3arLKmqR5c5wKCGadHlIVNA
    G4hm+6z9jcXSkOIH6dDxGddjKvhmwGfMlLJcTGx2P6GP2u5tYyK3XDpp0pbW81v1
    tsByZQyTNTd4jQKUJHC0syY=
    -----END PRIVATE KEY-----
    """

  /// PKCS #1.
  static let rsaTraditional = """
    -----BEGIN RSA PRIVATE KEY-----
    MIIEowIBAAKCAQEAvqFqmU+3SnJWMUXymV0cAjyhaIzsRGco4tGBPWtUZyCy865j
    NgRlxX4Hp0kiquttYvGBO6hJOtKfwMqcJ8Bp+PKQ34+qAhGkq+c3OCKqYu9IXZ/F
    Q1Jg6i4RpzrHGK6qO80wHJBnP8GY28EvQRFj/Nzrdc8i9fDpUFZAsPCZ3VrgXnLg
    XYbIJEtLGrzJU5jSbARrutvtfqC0NSzBk3VAuCJGArmTTUsMyD6AwR8mqtN8SaZj
    p+uzQOULysn2Uo1XLV2g1rY3cTQEGD6QH0HvVkSSG8uB6nrtZJAVZtNu8y0Uiy5J
    wJBuR5vgEi5HC6JLnCtK+nH4iCusgNImSDBEMwIDAQABAoIBAC8ua2BToxVpdBzQ
    56j+qwqAsCBc1LNfZvawjNDDSkoWBUSbslFxyDCXr1Q/nTV5fILjLC20Sp+k9sY0
    P271SCVGAAZdG+JUNJIZcYjSx6IiACKwAxZVAsijK1pdCV76CAcyE0jWkr9sbqVh
    TI1JvRoeIabwZAJEJLLuDifc/PAUevM0DxuKkC6HeekFPMT3ws2Eb8YgPS+S7JId
    zI3mpGEzPG/cAccXeeSvsTUh/ETx8NlUzGWTf6upXRMM91lbMFAXqyRW9pw7jWsH
    CokgjEeMao7FZkFY6NyucOWDsgELYp6Y8+4v1d+tm9LTHi6XHpl6dsU6iLJQMycC
    NzSTwNECgYEA6Yo0hUi4J/v1TayTBPqHM+haSI18CJ6/M8sLQKVI9zG7TDnYi21n
    C4i2TC8l68j6nFQF3et+sKmTc1EYfdjZXkNYnoy+G2SkPP5Pr+FC9wNiLg6lQ/7V
    lGUtjrq3zS09aI1dF4SHU4nf/nqzTMoZj/9n4nlBlmH1Inw3733+0EMCgYEA0PbG
    ib2bK9C/mXjQYtkqv6Emgbyx+1YC2QZXFyUf4rhmPVse20WMskMY+NQNRHaaDkzs
    9BTTQtLFVzlW54IRMGCV+7ckl+Qn5yFwNmdwgsIn3yDSrFKz94H252tyEocHZ/gc
    VA/lRvishlqp1/UUNSroSbnJwkZlK0e+RAjbtVECgYB2DuGiBzLhM6O8EmN3/tXe
    TbVmO+/Zw7ZQjnIvyd5q5/8Q96UaRsHyuLe/J4559W2LHYahuuyejfr2Lqa856Rq
    3IyuCeQIoQXNt5m9BZj+mf1F3y14hBigHc27+3PzCs2iTuQigWKPvoE3efut8/Sc
    MLbpa/bV+MsdFcKJFR59VQKBgHpnI1MJ2rwmsiT/DOnqFc1cY0b5tjPoZRClUxx+
    pZfTtifYmVGOAuVkwlr3M7JX2tPnoaE0Fa/98JSwRMSlftYcrZ5d4DSM9AbCoo1r
    uA8QFfTwsBc69qpT2cIjQRWzPNZdEpL3ILGa9sxYjUawC589PAX7q0B+pcJdawlF
    OxWRAoGBANOTbhQvgcD6WRvwDOV9ABcf84H90X6qPzF0jQxPV8VfcoNdM/LXrOUw
    DZ2M7Xt2qyypqkeXOcCghmnR5SFTQBuIZvus/Y3F0pDiB+nQ8RnXYyr4ZsBnzJSy
    XExsdj+hj9rubWMit1w6adKW1vNb9bbAcmUMkzU3eI0ClCRwtLMm
    -----END RSA PRIVATE KEY-----
    """

  /// 1024 bits.
  static let shortRSA = """
    -----BEGIN PRIVATE KEY-----
    MIICdwIBADANBgkqhkiG9w0BAQEFAASCAmEwggJdAgEAAoGBAME9+eJo26SLNGoA
    cl4b56M27VsZ3aq7HONofb2d3UIrwEqb5e+M+xdlFK+FmluOOPBfVJ8O6zxO1JXk
    kTmdGJnGn0GdbdILida5xMe6tbT+dnMjOAeI2RCNiBNfaExe7zforgryycHqOJjo
    w4YOdIteLCstcnIRAqT1R6bo95/zAgMBAAECgYAEo10tDwE+mMzAQpR8J8VOiJH3
    3s4QO/98gdSKyZA291/dKpLBRiv8qsNtVxKWYfqB4nfgfXYt82Js2piVvmyJsZjs
    9nCmfmFoHkaJKiEYK2eqOIErVx4akXdV6/SbEbnlvhBfL70LvZro2y8bVE15O5tq
    HinF4A9lyaQzfqDMUQJBAPkOW1ISP93m96DweZzlYluHKEy+IURDx9ec2r5qory9
    2nFAG+SuL2lMFMgB0IVfBiOCQbcsmSWXrckj3L5wkzsCQQDGoT7ufhWCcXpooZ6R
    Uk75ivBSwDssv/mF7J9v6xsDhUQVmav8VJ5HNLNPJTnxwxVox0BGR8tGrJO6YcYg
    EGqpAkEAixaxeUwnzs1GTeL+h9iy7Vq17uXfvjf8SzWWE/GJoM6GR+j9quB8KdoL
    YQdiZJmE3B/Kg3msrYnfzAzzIofMMQJBALaBiCporWjazcd/4QvT3f7KG8FdIcIf
    bq0QWvrhwkN82q8iMPW75ma01KC/KruqLWzFz5gD9ZItldtmZT4m92kCQHvSsmVr
    OvQrgP1wLaUmdrtE3xBqp5XOcaqarlzvdeGdx7ZshnAO2pNg4Q0jZm7KVdC+zdqw
    SxQwYnN0tJaEtYY=
    -----END PRIVATE KEY-----
    """

  static let encrypted = """
    -----BEGIN ENCRYPTED PRIVATE KEY-----
    MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAhUeu2TT5nvuAICCAAw
    DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEMJ9esqzWxToMkDhzcbw/3UEgZAO
    IUicoVpwqE+Tv074wxx9yQrzu0I2LM7NhwWnaJ2khWN2WJL3t3PlEO31sIJfh60a
    oNXXHaygMRYScY6HwGj+Qg+/7Sh2H3hB2YnuECMy2YezgTh+F+vEzaYyCwGvVq4x
    ntEEhk95DJSPPqmixt0DAk1OQhyuYVbs2epNLu64Tx8h88QMZh5QLSp/S+seCeQ=
    -----END ENCRYPTED PRIVATE KEY-----
    """

  static let encryptedTraditional = """
    -----BEGIN EC PRIVATE KEY-----
    Proc-Type: 4,ENCRYPTED
    DEK-Info: AES-128-CBC,FB9E5A2307515FB706BAC7AA1B6ECD72

    it+3MoFmLDScJ8YsIAg6cHuc0y1wlVkffXlW6FovPo7JLpHo7qQba9i9yv9QFEDv
    lg2VJ4p4hFEF1ZjMSRN79M6jOHZ1J4RXhldWrUAPCE6OuBCcQ5tSmbniBqJFp2X4
    ddyGh0CDyAzY4FwASaaqwi54BVRhmyJLqhFfkZvMOFM=
    -----END EC PRIVATE KEY-----
    """

  /// Of ``p256``.
  static let publicKey = """
    -----BEGIN PUBLIC KEY-----
    MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEhEi3MEYUDFLkVDK83W3/j1jpxBen
    ZgqFb/EGakHXDsUCBBIFKYGNQtviEN+YAcptlB+FCUvc/uBiYt2tRYu2WQ==
    -----END PUBLIC KEY-----
    """
}
