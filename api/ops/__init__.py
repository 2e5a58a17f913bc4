"""Operations: what Garage can do, once, for every face. A face holds no rule of its own."""
