# the keystore against a real Secret Service, without a display
bash .ci/stage-keychain.sh
