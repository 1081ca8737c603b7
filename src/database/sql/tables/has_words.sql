-- Whether a content has these words, in any case. Some programs write an accent as a character of its own (NFD) and most do not
-- (NFC), and Japanese keyboards also write letters and digits in full width. Contents are kept as they came. So the words are looked
-- for in each form: normalizing every content would take ten times as long. Postgres inlines this, and drops the second and third
-- part for words that have only one form. The last part leaves out contents in ASCII, which have nothing in full width.
create or replace function has_words(content text, words text) returns boolean language sql immutable as $$
  select position(lower(normalize(words, nfc)) in lower(content)) > 0
    or (normalize(words, nfc) <> normalize(words, nfd) and position(lower(normalize(words, nfd)) in lower(content)) > 0)
    or (normalize(words, nfc) <> normalize(words, nfkc) and position(lower(normalize(words, nfkc)) in lower(content)) > 0)
    or (octet_length(content) > char_length(content) and position(translate(lower(words),
      ' !"#$%&''()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\]^_`abcdefghijklmnopqrstuvwxyz{|}~',
      '　！＂＃＄％＆＇（）＊＋，－．／０１２３４５６７８９：；＜＝＞？＠ＡＢＣＤＥＦＧＨＩＪＫＬＭＮＯＰＱＲＳＴＵＶＷＸＹＺ［＼］＾＿｀ａｂｃｄｅｆｇｈｉｊｋｌｍｎｏｐｑｒｓｔｕｖｗｘｙｚ｛｜｝～') in lower(content)) > 0)
$$;
